"""Background work owned by an object with a `close()`, and the few primitives that need the event loop itself.

The only package that touches asyncio: everything else is pure, or uses anyio. It exists because users' code (handlers,
hooks, backends, askers) must not run in a session's task group: a handler that swallows cancellation would keep the
group open and, cancelled again and again, starve the loop. Here it runs as a plain task: cancelled once, awaited for a
grace, then abandoned and reported.
"""

from voice_hitl.tasks.beat import BEAT_S, CATCH_UP_S, Beat
from voice_hitl.tasks.jobs import GRACE_S, Job, Tasks, current_job, end_jobs, waiting_for_an_end
from voice_hitl.tasks.loop import Latch, Loop, Timer, call_on, current_time, on_loop, this_loop
from voice_hitl.tasks.mailbox import Mailbox
from voice_hitl.tasks.users_code import BoundExceeded, is_async_callable, run_users_code

__all__ = [
    "BEAT_S",
    "Beat",
    "BoundExceeded",
    "CATCH_UP_S",
    "GRACE_S",
    "Job",
    "Latch",
    "Loop",
    "Mailbox",
    "Tasks",
    "Timer",
    "call_on",
    "current_job",
    "current_time",
    "end_jobs",
    "is_async_callable",
    "on_loop",
    "run_users_code",
    "this_loop",
    "waiting_for_an_end",
]
