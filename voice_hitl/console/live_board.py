"""`LiveBoard`: the board awake: what lies at the desk appears on it, time passes, and whoever waits for news wakes."""

import secrets
from collections.abc import Collection, Sequence
from functools import partial
from typing import Final

import anyio

from voice_hitl.askers.desk import Desk, Lying
from voice_hitl.console.board import Board, Row
from voice_hitl.console.clock import utc_now
from voice_hitl.console.rows import outcome_of, row_of
from voice_hitl.console.shown import OutcomeShown, Taking
from voice_hitl.console.transcripts import Transcripts
from voice_hitl.console.webhook import Webhook, WebhookSender
from voice_hitl.enums import HookExecution, HookTrigger
from voice_hitl.events import SessionEvent, TranscriptionEvent
from voice_hitl.hooks import HookContext
from voice_hitl.human_input.handler import HumanInputHandler
from voice_hitl.kit import VoiceKit
from voice_hitl.questions.answer import Answer
from voice_hitl.requests.pending import PendingInputEvent
from voice_hitl.requests.settlement import Settlement
from voice_hitl.tasks import Tasks, Timer, current_time

TOLD_AFTER_S: Final = 0.5
"""How long a line waits before it is shown, in seconds: whether it is confidential may be known only then."""


class LiveBoard:
    """What a console shows, now. Belongs to the event loop of its desk.

    Args:
        desk: Where requests come from, and who is watching.
        webhooks: Who else is told.
    """

    def __init__(self, desk: Desk, webhooks: Sequence[Webhook] = ()) -> None:
        self.desk = desk
        self.board = Board()
        self.run = secrets.token_urlsafe(6)
        """Which board the numbers of events are of: another process counts anew."""
        self.closed = False
        self.transcripts = Transcripts()
        """What was said last in every live call."""
        self._tasks = Tasks("console")
        self._senders = [WebhookSender(webhook, self._tasks) for webhook in webhooks]
        self._news = anyio.Event()
        self._letting_go: Timer | None = None
        for lying in desk.lying:
            self.opened(lying)
        desk.join(self)

    # --- from the desk (DeskListener) --------------------------------------------------------------------------------

    def opened(self, lying: Lying) -> None:
        """A request lies at the desk, or is there for one more role."""
        asking = lying.asking

        async def answer(given: Answer, _key: str | None) -> Settlement:
            return await asking.answer(given)

        row = row_of(
            asking,
            answer,
            id=lying.id,
            caller=lying.caller,
            language=lying.language,
            roles=lying.roles,
            transcript=self.transcripts.of(asking.request.session_id),
        )
        self.show(row)

    def lifted(self, lying: Lying) -> None:
        """It is gone."""
        self.settle(lying.id, outcome_of(lying.asking.request, lying.asking.question))

    def watched(self) -> None:
        """Somebody began to watch, or stopped."""
        self._tell()

    # --- rows --------------------------------------------------------------------------------------------------------

    def show(self, row: Row) -> None:
        """Show a request."""
        known = self.board.find(row.shown.id)
        is_new = known is None or known.shown.outcome is not None
        self.board.open(row)
        self._tell()
        if is_new:
            for sender in self._senders:
                sender.opened(row.shown)

    def settle(self, request_id: str, outcome: OutcomeShown) -> None:
        """Show how a request ended."""
        row = self.board.find(request_id)
        if row is None or row.shown.outcome is not None:
            return
        self.board.settle(request_id, outcome)
        self._tell()
        for sender in self._senders:
            sender.settled(row.shown.model_copy(update={"outcome": outcome, "taken": None}))

    def take(self, request_id: str, by: str) -> Taking | None:
        """Mark an open request as being handled; see `Board.take`."""
        taken = self.board.take(request_id, by, now=current_time(), utc=utc_now())
        self._let_go()
        return taken

    def release(self, request_id: str, by: str) -> bool:
        """Unmark it; see `Board.release`."""
        released = self.board.release(request_id, by)
        self._tell()
        return released

    def _let_go(self) -> None:
        """Unmark what is not handled any more, and come back when the next one is due."""
        now = current_time()
        self.board.let_go(now)
        self._tell()
        if self._letting_go is not None:
            self._letting_go.cancel()
        deadline = self.board.deadline
        self._letting_go = Timer(deadline - now, self._let_go) if deadline is not None else None

    # --- calls -------------------------------------------------------------------------------------------------------

    def follow(self, kit: VoiceKit, *handlers: HumanInputHandler) -> None:
        """Show the last lines of a kit's calls; what is said while a confidential question is open is masked."""

        async def said(event: TranscriptionEvent, _context: HookContext) -> None:
            session, at = event.session_id, utc_now()
            # Asked before and after: its question may have been settled since, and that is told a moment later.
            confidential = self._is_confidential(session, handlers)
            await anyio.sleep(TOLD_AFTER_S)
            confidential = confidential or self._is_confidential(session, handlers)
            now = current_time()
            self.transcripts.said(session, event.role, event.text, at, now=now, confidential=confidential)
            self.board.said(session, self.transcripts.of(session))
            self._tell()

        async def settled(event: PendingInputEvent, _context: HookContext) -> None:
            if event.question is not None and event.question.sensitive:
                self.transcripts.confidential_until(event.session_id, current_time())

        async def ended(event: SessionEvent, _context: HookContext) -> None:
            # What was said last is shown a moment later: forgotten before that, it would be kept for good.
            Timer(2 * TOLD_AFTER_S, partial(self.transcripts.forget, event.session_id))

        kit.hook(HookTrigger.ON_TRANSCRIPTION, HookExecution.ASYNC, name="console")(said)
        kit.hook(HookTrigger.ON_USER_INPUT_SETTLED, HookExecution.ASYNC, name="console")(settled)
        kit.hook(HookTrigger.ON_SESSION_ENDED, HookExecution.ASYNC, name="console")(ended)

    def _is_confidential(self, session: str, handlers: Sequence[HumanInputHandler]) -> bool:
        requests = (request for handler in handlers for request in handler.open_in(session))
        return any(request.question is not None and request.question.sensitive for request in requests)

    # --- news --------------------------------------------------------------------------------------------------------

    def news(self) -> anyio.Event:
        """What is set when something happens next."""
        return self._news

    def watching(self, roles: Collection[str]) -> dict[str, int]:
        """How many consoles are open in each of these roles."""
        return {role: self.desk.watching(role) for role in sorted(roles)}

    def look_again(self) -> None:
        """Have every page's stream see whether it is still welcome."""
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, anyio.Event()
        news.set()

    async def close(self) -> None:
        """Every stream ends, and what webhooks were not told yet has a moment."""
        if self.closed:
            return
        self.closed = True
        self.desk.leave(self)
        if self._letting_go is not None:
            self._letting_go.cancel()
        self._tell()
        for sender in self._senders:
            await sender.close()
        await self._tasks.close()
