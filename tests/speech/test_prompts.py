"""A question as the sentences that ask it."""

import pytest

from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.speech.effects import Sentence
from voice_hitl.speech.interpret import Match, interpret
from voice_hitl.speech.languages import PACKS
from voice_hitl.speech.prompts import MAX_SPOKEN, Prompts, Why
from voice_hitl.speech.words import split

BOXES = (Option(label="Red"), Option(label="Blue", id="b"))
TRANSFER = Confirm(prompt="Transfer 500 dollars to Ann Lee. Shall I go ahead?")
QUESTIONS: list[Question] = [
    TRANSFER,
    Confirm(prompt="Do it, yes", action="Transfer", details={"amount": 500}),
    Confirm(prompt="Is that okay?", risk="high"),
    Approval(tool="refund_order", arguments={"to": "yes"}, digest="d"),
    Approval(tool="refund_order", arguments={"to": "Ann"}, digest="d", speak="Say {to} no"),
    Choice(prompt="Which box?", options=BOXES),
    Choice(prompt="Which boxes?", options=BOXES, multi=True),
    Choice(prompt="Which box?", options=BOXES, free_text=True),
    Number(prompt="How many, one or two"),
    Number(prompt="How many?", minimum=1),
    Number(prompt="How many?", maximum=9),
    Number(prompt="How many?", minimum=1, maximum=9),
    Number(prompt="Your code?", digits=4),
]


def texts(sentences: tuple[Sentence, ...] | None) -> list[str]:
    assert sentences is not None
    return [sentence.text for sentence in sentences]


def decisive(sentences: tuple[Sentence, ...] | None) -> list[str]:
    assert sentences is not None
    return [sentence.text for sentence in sentences if sentence.decisive]


@pytest.mark.parametrize("language", PACKS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_that_is_said_ends_in_a_word_that_answers(question: Question, language: str) -> None:
    prompts = Prompts(language, hint="always")
    said = [prompts.asked(question), prompts.options(question), prompts.between(("Red", "Blue"))]
    whys: tuple[Why, Why] = ("no_input", "no_match")
    said += [prompts.asked_again(question, attempt, why) for attempt in (1, 2) for why in whys]
    said += [Prompts(language, hint="never").asked_again(question, attempt, "no_match") for attempt in (1, 2)]
    if isinstance(question, Confirm | Approval):
        said += [prompts.second_yes(question)]
    by_keys = Prompts(language, keys_only=True)
    said += [by_keys.asked(question), by_keys.asked_again(question, 2, "no_match")]
    for sentences in said:
        assert sentences
        last = split(sentences[-1].text).spoken[-1]
        assert not isinstance(interpret(question, last, language=language), Match), sentences[-1].text


@pytest.mark.parametrize("language", PACKS)
def test_no_read_back_ends_in_a_word_that_answers_it(language: str) -> None:
    for value, question in (
        (4, QUESTIONS[8]),
        ("0427", QUESTIONS[12]),
        ("Red", QUESTIONS[5]),
        ("yes", Text(prompt="?")),
    ):
        sentences = Prompts(language).read_back(question, value)
        prompt = Confirm(prompt=" ".join(sentence.text for sentence in sentences))
        last = split(sentences[-1].text).spoken[-1]
        assert not isinstance(interpret(prompt, last, language=language), Match), sentences[-1].text


def test_a_confirmation_reads_back_what_decides() -> None:
    asked = Prompts().asked(TRANSFER)
    assert texts(asked) == ["Transfer 500 dollars to Ann Lee.", "Shall I go ahead?"]
    assert decisive(asked) == ["Transfer 500 dollars to Ann Lee."]


def test_a_confirmation_names_the_details_that_its_prompt_does_not() -> None:
    question = Confirm(prompt="Shall I send it to Ann?", action="Transfer", details={"amount": 500, "to": "Ann"})
    assert texts(Prompts().asked(question)) == ["Transfer.", "Amount: 500.", "Shall I send it to Ann?"]
    said = Confirm(prompt="Transfer it now.", action="transfer it")
    assert texts(Prompts().asked(said)) == ["Transfer it now.", "Shall I go ahead?"]


def test_a_bare_question_is_decisive_itself() -> None:
    assert decisive(Prompts().asked(Confirm(prompt="Shall I?"))) == ["Shall I?"]
    assert decisive(Prompts().asked(Confirm(prompt="Shall I?", action="Pay"))) == ["Pay."]
    assert decisive(Prompts().asked(Confirm(prompt="Pay. Shall I send it to Ann?"))) == [
        "Pay.",
        "Shall I send it to Ann?",
    ]


def test_an_approval_reads_its_template_or_every_argument() -> None:
    arguments = {"amount": 12.5, "to": "Ann", "lines": ["a", "b"]}
    spoken = Approval(tool="refund", arguments=arguments, digest="d", speak="Refund {amount} to {to} for {lines}")
    assert texts(Prompts().asked(spoken)) == ["Refund 12.5 to Ann for a and b.", "Shall I go ahead?"]
    schema = {"properties": {"amount": {"title": "Sum"}}}
    titled = Approval(tool="refund_order", arguments={"amount": 5, "to": "Ann"}, digest="d", parameters=schema)
    assert texts(Prompts().asked(titled)) == ["Refund order.", "Sum: 5.", "To: Ann.", "Shall I go ahead?"]


def test_a_nested_value_that_nothing_names_is_not_asked_aloud() -> None:
    arguments = {"amount": 5, "lines": [{"a": 1}]}
    assert Prompts().asked(Approval(tool="refund", arguments=arguments, digest="d")) is None
    assert Prompts().asked(Approval(tool="refund", arguments=arguments, digest="d", speak="Refund {amount}")) is None
    assert Prompts().asked(Approval(tool="refund", arguments=arguments, digest="d", speak="Refund {lines}")) is None
    assert Prompts().asked(Approval(tool="refund", arguments={}, digest="d", speak="Refund {amount}")) is None
    assert Prompts().asked(Confirm(prompt="Shall I?", details={"lines": [1]})) is None


def test_what_takes_too_long_to_say_is_not_asked_aloud() -> None:
    assert Prompts().asked(Text(prompt="x" * (MAX_SPOKEN + 1))) is None
    assert Prompts().second_yes(Confirm(prompt="x" * (MAX_SPOKEN + 1))) == (
        Sentence("To be safe, once more: shall I really go ahead?"),
    )


def test_a_choice_reads_its_labels_numbered() -> None:
    assert texts(Prompts().asked(Choice(prompt="Which box?", options=BOXES))) == [
        "Which box?",
        "1: Red.",
        "2: Blue.",
        "Tell me which of these, please.",
    ]


def test_a_form_is_asked_where_each_of_its_questions_can_be() -> None:
    box = Choice(prompt="Which box?", options=BOXES)
    long = Choice(prompt="x" * MAX_SPOKEN, options=BOXES)
    assert Prompts().asked(Form(questions=(box,))) == Prompts().asked(box)
    assert Prompts().asked(Form(questions=(box, long))) is None


def test_reprompts_get_shorter_and_tell_how_to_answer() -> None:
    prompts = Prompts(yes="5", no="6")
    first = texts(prompts.asked_again(TRANSFER, 1, "no_input"))
    second = texts(prompts.asked_again(TRANSFER, 2, "no_input"))
    assert first == [
        "I did not hear you.",
        "Transfer 500 dollars to Ann Lee.",
        "Say yes or no, please.",
        "On the keypad press 5 to go ahead or 6 to stop, please.",
    ]
    assert second == ["Transfer 500 dollars to Ann Lee.", first[-1]]
    number = Number(prompt="How many?", minimum=1)
    assert texts(prompts.asked_again(number, 1, "no_match"))[:2] == ["I did not understand that.", "How many?"]
    assert len(prompts.asked_again(number, 2, "no_match")) < len(prompts.asked_again(number, 1, "no_match"))
    choice = Choice(prompt="Which box?", options=BOXES)
    assert texts(prompts.asked_again(choice, 1, "no_match"))[1] == "Which box?"


def test_a_text_has_no_keys() -> None:
    assert texts(Prompts().asked_again(Text(prompt="Your message?"), 2, "no_match")) == [
        "Say it in your own words, please."
    ]
    assert texts(Prompts().options(Form(questions=(Choice(prompt="?", options=BOXES),)))) == [
        "Say it in your own words, please."
    ]


def test_the_options_are_told_with_their_numbers() -> None:
    assert texts(Prompts().options(Choice(prompt="?", options=BOXES)))[:2] == ["1: Red.", "2: Blue."]


@pytest.mark.parametrize(
    ("question", "value", "heard"),
    [
        (Number(prompt="?", digits=4), "0427", "0, 4, 2, 7"),
        (Number(prompt="?"), 42, "42"),
        (Choice(prompt="?", options=BOXES), "b", "Blue"),
        (Choice(prompt="?", options=BOXES, multi=True), ["Red", "b"], "Red and Blue"),
        (Choice(prompt="?", options=BOXES, free_text=True), "green", "green"),
        (Text(prompt="?"), "call me", "call me"),
        (Text(prompt="?"), "x" * 500, "x" * 399 + "…"),
        (Text(prompt="?"), {"a": 1}, "{'a': 1}"),
    ],
)
def test_a_read_back_says_what_was_understood(question: Question, value: object, heard: str) -> None:
    assert texts(Prompts().read_back(question, value)) == [f"I heard: {heard}.", "Shall I take it like that?"]


def test_a_second_yes_is_asked_for_in_the_shortest_form() -> None:
    assert len(Prompts().second_yes(TRANSFER)) == 2
    long = Confirm(prompt=f"Pay {'x' * 90}. Then send it to {'y' * 60}. Shall I go ahead?")
    assert texts(Prompts().second_yes(long))[0] == f"Pay {'x' * 90}."
    assert len(Prompts().second_yes(long)) == 2


def test_an_application_has_sentences_of_its_own() -> None:
    own = {"go_ahead": {"en": "May I, then?", "de": "Darf ich das?"}}
    assert texts(Prompts(own=own).asked(Confirm(prompt="Pay it.")))[-1] == "May I, then?"
    assert texts(Prompts("en-GB", own).asked(Confirm(prompt="Pay it.")))[-1] == "May I, then?"
    assert texts(Prompts("fr", own).asked(Confirm(prompt="Pay it.")))[-1] == "Est-ce que je le fais ?"
    with pytest.raises(ValueError, match="no sentence 'goahead'"):
        Prompts(own={"goahead": {"en": "?"}})
    with pytest.raises(ValueError, match="not 'german'; there are words for en, fr, de"):
        Prompts(own={"go_ahead": {"german": "Darf ich das?"}})


def test_a_language_without_a_pack_is_asked_in_english() -> None:
    assert texts(Prompts("xx").asked(Confirm(prompt="Pay it.")))[-1] == "Shall I go ahead?"


def test_a_decimal_or_an_abbreviation_ends_no_sentence() -> None:
    assert texts(Prompts().asked(Confirm(prompt="Pay 12.50 to Ann? Or later?"))) == ["Pay 12.50 to Ann?", "Or later?"]
    assert texts(Prompts().asked(Text(prompt="?"))) == ["?"]


def test_where_only_keys_count_every_prompt_asks_for_them() -> None:
    prompts = Prompts(keys_only=True)
    assert texts(prompts.asked(Number(prompt="Your PIN?", digits=4))) == [
        "Your PIN?",
        "Do not say it aloud: key it in on the keypad, please.",
    ]
    assert texts(prompts.asked_again(Choice(prompt="Which box?", options=BOXES), 2, "no_match")) == [
        "Do not say it aloud: key it in on the keypad, please.",
        "Or press its number on the keypad, please.",
    ]
    assert texts(prompts.asked(TRANSFER))[-1] == "On the keypad press 1 to go ahead or 2 to stop, please."
