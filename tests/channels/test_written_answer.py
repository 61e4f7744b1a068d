"""A chat model's answer while it is written."""

from hypothesis import given
from hypothesis import strategies as st

from voice_hitl.channels.written_answer import WrittenAnswer

TOOLS = {"look_up": {"type": "object", "properties": {"q": {"type": "string"}}}}


def written(*pieces: str) -> tuple[list[str], WrittenAnswer]:
    answer = WrittenAnswer(TOOLS)
    return [answer.write(piece) for piece in pieces], answer


def test_words_are_shown_as_they_come() -> None:
    shown, answer = written("Good ", "day. ", "It is late")
    assert shown == ["Good ", "day. ", "It is late"]
    assert answer.end() == ("", None)
    assert answer.words == "Good day. It is late"


def test_what_could_be_a_call_is_held_back_and_the_call_is_no_words() -> None:
    shown, answer = written("One moment. ", "call:loo", "k_up{q:me", "nu}")
    assert shown == ["One moment. ", "", "", ""]
    rest, found = answer.end()
    assert found is not None
    assert (rest, found.name, found.arguments) == ("", "look_up", {"q": "menu"})
    assert answer.words == "One moment."


def test_what_only_looked_like_a_call_is_shown_after_all() -> None:
    shown, answer = written("Hello. ", "call", "ing you back now.")
    assert "".join(shown) == "Hello. calling you back now."
    assert answer.end() == ("", None)


def test_what_is_made_up_as_a_result_is_no_words() -> None:
    shown, answer = written("Done.", '<tool_response>{"ok": true}', "</tool_response> Anything else?")
    assert "".join(shown) + answer.end()[0] == "Done. Anything else?" == answer.words


def test_of_an_answer_that_was_cut_no_call_is_taken_and_no_half_of_one_shown() -> None:
    _, answer = written("One moment. ", "call:look_up{q:menu}")
    assert answer.end(whole=False) == ("", None)
    assert answer.words == "One moment. "


def test_without_tools_everything_is_words() -> None:
    answer = WrittenAnswer({})
    assert answer.write("call:look_up{q:menu}") == "call:look_up{q:menu}"
    assert answer.end() == ("", None)


@given(st.lists(st.sampled_from(["Hi. ", "call:", "look_up", "{q:", "menu", "}", "{", "<", "\n", " and"]), max_size=12))
def test_words_and_a_call_are_the_whole_answer(pieces: list[str]) -> None:
    answer = WrittenAnswer(TOOLS)
    shown = "".join(answer.write(piece) for piece in pieces)
    rest, found = answer.end()
    whole = "".join(pieces)
    if found is None:
        assert shown + rest == whole == answer.words
    else:
        assert answer.words == whole[: found.start].rstrip()
        assert (shown + rest).rstrip() == answer.words


def test_a_long_answer_is_not_read_again_with_every_piece() -> None:
    answer, text = WrittenAnswer(TOOLS), "Words without end. " * 800
    shown = [answer.write(text[at : at + 5]) for at in range(0, len(text), 5)]
    assert "".join(shown) + answer.end()[0] == text


def test_a_call_that_spans_what_looks_like_sentences_is_held_back_whole() -> None:
    shown, answer = written("Sure. ", 'look_up({"q": "Hello. ', 'Is it open? Yes"', "})")
    assert shown == ["Sure. ", "", "", ""]
    found = answer.end()[1]
    assert found is not None
    assert found.arguments == {"q": "Hello. Is it open? Yes"}
