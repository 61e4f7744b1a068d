"""When the caller said what: our own voice activity, matched with the turns that the provider transcribes."""

from dataclasses import dataclass, field

TRANSCRIPT_DUE_S = 5.0
"""How long after a turn its transcript may still come."""

SECONDS_A_CHARACTER = 0.07
"""How long a character takes to say, where no voice was seen that it could have been."""

Span = tuple[float, float]


@dataclass(slots=True)
class _Turn:
    item_id: str
    ended_at: float | None = None
    spoken: list[Span] = field(default_factory=list[Span])


class CallersTurns:
    """The caller's turns that wait for a transcript. Times of voice are the caller's, `now` is the loop's clock.

    A provider says when it hears a turn begin and end, or does not; transcripts may come late, and out of step with
    what is said meanwhile. An answer must not be taken while a turn that changes it is still being transcribed.

    Args:
        since: When we began to listen: a turn that nobody saw begin is from before.
        told_of_all: Whether the provider alone tells when the caller speaks: then no turn begins unseen.
    """

    def __init__(self, *, since: float, told_of_all: bool = False) -> None:
        self._since = since
        self._told_of_all = told_of_all
        self._turns: list[_Turn] = []
        self._spoken: list[Span] = []
        self._began: float | None = None

    def voice_began(self, at: float) -> None:
        """The caller's voice is heard."""
        self._began = at

    def voice_ended(self, at: float) -> None:
        """It is not any more."""
        self._spoken.append((at if self._began is None else self._began, at))
        self._began = None

    def began(self, item_id: str) -> None:
        """The provider hears a turn begin."""
        self._turns.append(_Turn(item_id))

    def ended(self, item_id: str, now: float) -> None:
        """The provider hears it end: what was spoken since the turn before is of this one."""
        turn = next((turn for turn in self._turns if turn.ended_at is None and turn.item_id == item_id), None)
        if turn is not None:
            turn.ended_at = now
            turn.spoken, self._spoken = self._spoken, []

    def lost(self) -> None:
        """Nothing more is told of the turns that began; what is transcribed of them is from before."""
        self._turns.clear()
        self._spoken.clear()
        self._began = None

    def more_due(self, now: float) -> bool:
        """Whether another transcript is still to come."""
        self._turns = [turn for turn in self._turns if turn.ended_at is None or now < turn.ended_at + TRANSCRIPT_DUE_S]
        return bool(self._turns)

    def transcribed(self, item_id: str, text: str, until: float) -> Span:
        """The transcript of a turn came: when that turn was said, `until` at the latest."""
        turn = next((turn for turn in self._turns if turn.item_id == item_id), None)
        if turn is None and self._turns and not self._turns[0].item_id:
            turn = self._turns[0]
        if turn is None and (self._turns or self._told_of_all):
            return self._since, self._since
        spoken: list[Span] = []
        if turn is not None:
            self._turns.remove(turn)
            spoken = turn.spoken
        if turn is None or turn.ended_at is None:
            spoken, self._spoken = self._spoken, []
        if spoken:
            return spoken[0][0], spoken[-1][1]
        return (until - SECONDS_A_CHARACTER * len(text) if self._began is None else self._began), until
