"""A form is asked question by question; what was answered is kept."""

from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Option
from voice_hitl.speech.effects import AnsweredSoFar, Aside, Consumed, Effect, Filled, GaveUp, Say, Utterance
from voice_hitl.speech.keypad import Keypad
from voice_hitl.speech.manner import Manner
from voice_hitl.speech.prompts import Prompts
from voice_hitl.speech.reading import Match
from voice_hitl.speech.spoken import FormDialogue, SpokenQuestion, spoken_question

SIZE = Choice(prompt="Which size?", options=(Option(label="Small"), Option(label="Large")), free_text=True)
TOPPINGS = Choice(
    prompt="Which toppings?",
    options=(Option(label="Cheese"), Option(label="Ham"), Option(label="Olives")),
    multi=True,
    free_text=True,
)
PIZZA = Form(questions=(SIZE, TOPPINGS))


class Call:
    """A form on a line: what is said is heard whole, then the caller speaks."""

    def __init__(self) -> None:
        self.now = 10.0
        question = spoken_question(PIZZA, Manner(), Prompts("en"), Keypad)
        assert isinstance(question, FormDialogue)
        self.question: SpokenQuestion = question
        self.effects: list[Effect] = []
        self.do(question.start())

    def do(self, effects: list[Effect]) -> None:
        self.effects += effects

    def play(self) -> None:
        said = [effect for effect in self.effects if isinstance(effect, Say)][-1]
        for index in range(len(said.sentences)):
            self.question.playing(index, self.now)
            self.question.played(index, self.now, self.now + 1)
            self.now += 1

    def say(self, text: str) -> None:
        began = self.now + 0.5
        self.do(self.question.speech_began(began))
        self.do(self.question.speech_ended(began + 0.5))
        self.now = began + 1
        self.do(self.question.utterance(Utterance(text, began, began + 0.5, item_id=text), self.now))

    @property
    def asked(self) -> list[str]:
        return [effect.sentences[0].text for effect in self.effects if isinstance(effect, Say)]

    @property
    def filled(self) -> Filled:
        (filled,) = [effect for effect in self.effects if isinstance(effect, Filled)]
        return filled


def test_each_question_is_asked_and_each_answer_is_kept() -> None:
    call = Call()
    call.play()
    call.say("large")
    call.play()
    call.say("cheese and olives, please, and hurry up a bit")
    assert call.asked == ["Which size?", "Which toppings?"]
    value = call.filled.value
    assert isinstance(value, dict)
    assert value["answers"] == {"Which size?": "Large", "Which toppings?": ["Cheese", "Olives"]}
    assert call.filled.evidence["transcript"] == "large; cheese and olives, please, and hurry up a bit"
    assert call.question.over
    assert call.question.deadline() is None


def test_each_answer_but_the_last_is_told_before_the_next_question_is_asked() -> None:
    call = Call()
    call.play()
    call.say("large")
    [told] = [effect for effect in call.effects if isinstance(effect, AnsweredSoFar)]
    assert told.answers == {"Which size?": "Large"}
    assert isinstance(call.effects[call.effects.index(told) + 1], Say)
    call.play()
    call.say("ham")
    assert len([effect for effect in call.effects if isinstance(effect, AnsweredSoFar)]) == 1
    assert told.answers == {"Which size?": "Large"}


def test_a_form_may_be_answered_by_keys_alone() -> None:
    call = Call()
    call.play()
    call.do(call.question.key("2", call.now))
    call.play()
    for key in "13#":
        call.do(call.question.key(key, call.now))
    assert call.filled.value == {"answers": {"Which size?": "Large", "Which toppings?": ["Cheese", "Olives"]}}
    assert "transcript" not in call.filled.evidence


def test_a_form_may_be_answered_whole_and_keeps_what_was_answered_before() -> None:
    call = Call()
    call.play()
    call.say("small")
    call.play()
    call.say("just do whatever is cheapest")
    assert call.filled.value == {
        "answers": {"Which size?": "Small"},
        "response": "just do whatever is cheapest",
    }
    assert call.filled.reason is None
    assert Consumed("just do whatever is cheapest") in call.effects


def test_what_was_said_before_the_question_answers_no_form() -> None:
    call = Call()
    call.say("just do whatever is cheapest")
    assert not any(isinstance(effect, Filled) for effect in call.effects)


def test_each_question_has_its_own_tries() -> None:
    call = Call()
    for _ in range(2):
        call.play()
        call.now += 6
        call.do(call.question.tick(call.now))
    call.play()
    call.say("small")
    for _ in range(3):
        call.play()
        call.do(call.question.unheard(call.now))
    assert [effect for effect in call.effects if isinstance(effect, GaveUp)] == [GaveUp(3)]


def test_a_form_is_declined_at_any_question() -> None:
    call = Call()
    call.play()
    call.say("small")
    call.play()
    call.say("never mind")
    assert call.filled.decline


def test_a_form_that_was_not_taken_begins_again_with_its_last_question() -> None:
    call = Call()
    call.play()
    call.say("small")
    call.play()
    call.say("ham")
    call.do(call.question.refused())
    assert call.asked[-1] == "Which toppings?"
    call.play()
    call.say("cheese")
    last = [effect for effect in call.effects if isinstance(effect, Filled)][-1]
    assert last.value == {"answers": {"Which size?": "Small", "Which toppings?": ["Cheese"]}}


def test_an_aside_leaves_the_question_open() -> None:
    call = Call()
    call.play()
    call.say("how big is the large one?")
    assert any(isinstance(effect, Aside) for effect in call.effects)
    call.do(call.question.after_aside())
    assert len(call.asked) == 2
    call.question.playing(0, call.now)
    call.question.cut(0, call.now, call.now + 0.1)
    assert not call.question.over


def test_what_cannot_be_said_is_not_asked_aloud() -> None:
    nested = Approval(tool="pay", arguments={"to": {"iban": ["DE", "1"]}}, digest="d")
    assert spoken_question(nested, Manner(), Prompts("en"), Keypad) is None
    long = Choice(prompt="Which? " * 80, options=(Option(label="A"),))
    assert spoken_question(Form(questions=(SIZE, long)), Manner(), Prompts("en"), Keypad) is None
    assert spoken_question(Confirm(prompt="Go?"), Manner(), Prompts("en"), Keypad) is not None


def test_what_was_misspoken_and_what_somebody_understands_are_the_open_questions() -> None:
    call = Call()
    first = [effect for effect in call.effects if isinstance(effect, Say)][-1]
    call.play()
    call.do(call.question.misspoken())
    again = [effect for effect in call.effects if isinstance(effect, Say)][-1]
    assert again.sentences == first.sentences
    assert again is not first
    heard = Utterance("the geese fly south", call.now, call.now + 1)
    assert call.question.understood(heard, Match("Large"), call.now) == []
