"""A bound on how long something may take, that can stand still for a while."""

from collections.abc import Callable

from voice_hitl.tasks import Timer, current_time


class PausingBound:
    """Calls `expire` once so many seconds have passed in which it ran. It runs from when it is made.

    Args:
        seconds: How long; None: as long as it takes.
        expire: What happens then.
    """

    def __init__(self, seconds: float | None, expire: Callable[[], None]) -> None:
        self._left = seconds
        self._expire = expire
        self._since = 0.0
        self._timer: Timer | None = None
        self.resume()

    def resume(self) -> None:
        """Let it run on; harmless where it runs."""
        if self._timer is None and self._left is not None:
            self._since = current_time()
            self._timer = Timer(self._left, self._expire)

    def pause(self) -> None:
        """Let it stand still; harmless where it does."""
        if self._timer is not None and self._left is not None:
            self._timer.cancel()
            self._timer = None
            self._left = max(0.0, self._left - (current_time() - self._since))

    def stop(self) -> None:
        """It is not needed any more."""
        self.pause()
        self._left = None
