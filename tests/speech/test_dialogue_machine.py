"""Whatever happens, in whatever order: no yes without a clean one to a question that was heard; over is silent."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from voice_hitl.questions.model import Confirm
from voice_hitl.speech.dialogue import Dialogue
from voice_hitl.speech.effects import Aside, Effect, Filled, GaveUp, Say, ToOperator, Utterance
from voice_hitl.speech.keypad import Keypad
from voice_hitl.speech.manner import Manner
from voice_hitl.speech.prompts import Prompts

QUESTION = "Transfer 500 dollars to Ann Lee"
YES = ("yes", "yes please", "sure, go ahead")
OTHERS = (
    "no",
    "don't",
    "yes but make it eight",
    "what's the fee?",
    "hold on",
    "repeat that",
    "what are my options",
    "stop the music",
    "mumble mumble",
    "okay, wait, don't run that",
    "",
    QUESTION,
)
SENTENCE_S = 2.0
LATE = settings(max_examples=60, stateful_step_count=40, derandomize=True)


class DialogueMachine(RuleBasedStateMachine):
    """A caller, a voice that plays, a recogniser that may be late, and a clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0
        self.over = False
        self.beside = False
        self.sentence = 0
        self.playing = 0
        self.heard_at: list[float] = []
        self.yes_at: list[float] = []
        self.keyed_yes = False
        self.said_last: tuple[str, float, float] | None = None

    @initialize(
        risk=st.sampled_from(["normal", "high"]),
        echo_cancelled=st.booleans(),
        barge_in=st.booleans(),
    )
    def start(self, risk: str, echo_cancelled: bool, barge_in: bool) -> None:
        self.high = risk == "high"
        question = Confirm(prompt=f"{QUESTION}?", action=QUESTION, risk="high" if self.high else "normal")
        manner = Manner(echo_cancelled=echo_cancelled, barge_in=barge_in, tries=4)
        self.dialogue = Dialogue(question, Prompts("en"), Keypad, manner)
        self.take(self.dialogue.start())

    def take(self, effects: list[Effect]) -> None:
        assert not (self.over and effects), f"over, and yet {effects}"
        for effect in effects:
            match effect:
                case Say(sentences):
                    assert not self.beside, "it speaks into the model's words"
                    self.sentence, self.playing = 0, len(sentences)
                case Aside():
                    self.beside = True
                case Filled(value=True):
                    self.check_yes()
                case _:
                    pass
            if isinstance(effect, Filled | GaveUp | ToOperator):
                self.over = True
        assert self.dialogue.over is self.over

    def check_yes(self) -> None:
        """A key, or as many clean yeses as it takes, each begun once a question had been heard."""
        if self.keyed_yes:
            return
        counted = [at for at in self.yes_at if any(at >= heard - 0.3 for heard in self.heard_at)]
        assert len(counted) >= (2 if self.high else 1), f"a yes out of {self.yes_at}, heard {self.heard_at}"
        assert self.said_last is None or self.said_last[0] in YES, f"a yes out of {self.said_last}"

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.0, 3.0, 7.0, 61.0]))
    def time_passes(self, seconds: float) -> None:
        until = self.now + seconds
        for _ in range(20):
            due = self.dialogue.deadline()
            if due is None or due > until:
                break
            self.now = max(self.now, due)
            self.take(self.dialogue.tick(self.now))
        self.now = until

    @precondition(lambda self: self.sentence < self.playing)
    @rule()
    def a_sentence_is_heard(self) -> None:
        began = self.now
        self.dialogue.playing(self.sentence, began)
        self.time_passes(SENTENCE_S)
        self.dialogue.played(self.sentence, began, self.now)
        self.heard_at.append(self.now)
        self.sentence += 1

    @precondition(lambda self: self.sentence < self.playing)
    @rule()
    def the_voice_is_cut(self) -> None:
        self.dialogue.playing(self.sentence, self.now)
        self.time_passes(0.5)
        if self.sentence < self.playing:
            self.dialogue.cut(self.sentence, self.now - 0.5, self.now)
        self.playing = 0

    @rule(text=st.sampled_from(YES + OTHERS), late=st.sampled_from([0.2, 1.0, 6.0]))
    def the_caller_says(self, text: str, late: float) -> None:
        began = self.now
        self.take(self.dialogue.speech_began(began))  # a yes whose window was over by then is settled now
        self.said_last = text, began, began + 0.5
        self.time_passes(0.5)
        self.take(self.dialogue.speech_ended(self.now))
        ended = self.now
        if text in YES:
            self.yes_at.append(began)
        self.time_passes(late)
        self.take(self.dialogue.utterance(Utterance(text, began, ended), self.now))

    @rule()
    def nobody_understands(self) -> None:
        self.said_last = None
        self.take(self.dialogue.speech_began(self.now))
        self.take(self.dialogue.speech_ended(self.now + 0.2))
        self.take(self.dialogue.unheard(self.now + 0.5))
        self.now += 0.5

    @rule(key=st.sampled_from("0123456789*#"))
    def a_key_is_pressed(self, key: str) -> None:
        self.keyed_yes = self.keyed_yes or key == "1"
        self.take(self.dialogue.key(key, self.now))

    @precondition(lambda self: self.beside)
    @rule()
    def the_model_has_answered(self) -> None:
        self.beside = False
        self.take(self.dialogue.after_aside())

    @invariant()
    def what_is_over_waits_for_nothing(self) -> None:
        if self.over:
            assert self.dialogue.deadline() is None


DialogueMachine.TestCase.settings = LATE
TestDialogue = DialogueMachine.TestCase
