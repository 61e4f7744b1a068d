"""What the front desk makes of a caller's words, misheard ones too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_hitl_local.front_desk.booking import ORDER, Booking, Field
from voice_hitl_local.front_desk.understanding import Intent, understand


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "I'd like to book a table for four tomorrow at seven. My name is Lee.",
            Booking(party=4, day="tomorrow", time="7 pm", name="Lee"),
        ),
        (
            "I'd like to book a table for 4 tomorrow at 7. My name is Lee.",
            Booking(party=4, day="tomorrow", time="7 pm", name="Lee"),
        ),
        (
            "A table for two on the 5th of June at 7:30 p.m. under the name of O'Brien.",
            Booking(party=2, day="June 5", time="7:30 pm", name="O'Brien"),
        ),
        (
            "Actually on Friday at half past 8 for 2 people please.",
            Booking(party=2, day="Friday", time="8:30 pm"),
        ),
        ("Party of 3 on June 5 at eight", Booking(party=3, day="June 5", time="8 pm")),
        ("Table for twelve at 12 tomorrow", Booking(party=12, day="tomorrow", time="12 pm")),
        ("No, for six people.", Booking(party=6)),
        ("There will be six of us", Booking(party=6)),
        ("Just me, tonight.", Booking(party=1, day="today")),
        ("A couple of people", Booking(party=2)),
        ("the day after tomorrow", Booking(day="the day after tomorrow")),
        ("next Tuesday at noon", Booking(day="next Tuesday", time="12 pm")),
        ("on the 3rd, around 7", Booking(day="the 3rd", time="7 pm")),
        ("quarter to eight", Booking(time="7:45 pm")),
        ("quarter to one", Booking(time="12:45 pm")),
        ("at 19:30", Booking(time="7:30 pm")),
        ("eight thirty in the morning", Booking(time="8:30 am")),
        ("For 7 p.m.", Booking(time="7 pm")),
        ("7 o'clock", Booking(time="7 pm")),
        ("midnight", Booking(time="12 am")),
        ("Make it six o'clock instead", Booking(time="6 pm")),
        ("Six instead", Booking(time="6 pm")),
        ("No, make it eight.", Booking(time="8 pm")),
        ("My name's Lee and I would like to know", Booking(name="Lee")),
        ("I'm Anna Schmidt", Booking(name="Anna Schmidt")),
        ("Change the name to Miller", Booking(name="Miller")),
    ],
)
def test_what_is_said_of_a_booking_is_understood(text: str, said: Booking) -> None:
    assert understand(text).said == said


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("No, make a date.", Booking(time="8 pm")),
        ("No, make it a date.", Booking(time="8 pm")),
        ("No, make it ate.", Booking(time="8 pm")),
        ("Can I get a table for for tomorrow at ate?", Booking(party=4, day="tomorrow", time="8 pm")),
        ("A table for to, to morrow.", Booking(party=2, day="tomorrow")),
        ("Tomorrow at 730.", Booking(day="tomorrow", time="7:30 pm")),
        ("tomorrow 730 pm", Booking(day="tomorrow", time="7:30 pm")),
        ("730 pm", Booking(time="7:30 pm")),
    ],
)
def test_what_the_small_recogniser_mishears_is_read_as_what_was_said(heard: str, said: Booking) -> None:
    assert understand(heard).said == said


@pytest.mark.parametrize(
    ("asked", "text", "said"),
    [
        ("party", "Four.", Booking(party=4)),
        ("party", "Um, 12", Booking(party=12)),
        ("day", "For Friday.", Booking(day="Friday")),
        ("time", "Seven.", Booking(time="7 pm")),
        ("time", "730", Booking(time="7:30 pm")),
        ("time", "7 30", Booking(time="7:30 pm")),
        ("time", "99", Booking()),
        ("name", "Lee.", Booking(name="Lee")),
        ("name", "It's anna, please.", Booking(name="Anna")),
        ("name", "No, Miller.", Booking(name="Miller")),
        ("name", "What?", Booking()),
        ("name", "I don't know what you mean by that", Booking()),
    ],
)
def test_a_bare_word_answers_what_was_asked(asked: Field, text: str, said: Booking) -> None:
    assert understand(text, asked=asked).said == said


@pytest.mark.parametrize(
    "text",
    [
        "Four.",
        "Lee.",
        "I'm looking for a table",
        "May I have a table",
        "What's the weather like?",
        "It's tomorrow night",
        "",
    ],
)
def test_without_a_question_a_bare_word_says_nothing_of_party_time_or_name(text: str) -> None:
    said = understand(text).said
    assert (said.party, said.time, said.name) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Yes, please.", "yes"),
        ("Okay, go ahead.", "yes"),
        ("That's right, book it.", "yes"),
        ("Yes, but at eight", None),
        ("Yes, do you have parking?", None),
        ("Yes, no, wait.", "no"),
        ("Don't do it.", "no"),
        ("Sorry?", "repeat"),
        ("Say that again, please", "repeat"),
        ("Is my table booked?", "status"),
        ("Did you make the booking?", "status"),
        ("Never mind.", "cancel"),
        ("I'd like to book a table", "book"),
        ("Thank you very much, bye", "goodbye"),
        ("Thanks a lot", "thanks"),
        ("Good morning", "greeting"),
        ("Please", None),
        ("", None),
    ],
)
def test_what_a_caller_wants_is_told_and_a_yes_with_anything_beside_it_is_none(
    text: str, intent: Intent | None
) -> None:
    assert understand(text).intent == intent


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("the time is wrong", "time"),
        ("The date", "day"),
        ("change my name", "name"),
        ("how many we are", "party"),
        ("no", None),
    ],
)
def test_what_is_to_be_asked_again_is_told(text: str, field: Field | None) -> None:
    assert understand(text).unsaid == field


@given(text=st.text(max_size=60), asked=st.sampled_from([*ORDER, None]))
def test_anything_at_all_can_be_said(text: str, asked: Field | None) -> None:
    understood = understand(text, asked=asked)
    assert understood.said.party is None or understood.said.party > 0


SOME_WORDS = """
    book a table for four to at seven thirty 730 7:30 99:99 tomorrow friday the 5th june pm noon half past quarter my
    name is Lee under no yes make it eight people 0 25 00
"""
WORDS = st.sampled_from(SOME_WORDS.split())


@given(words=st.lists(WORDS, max_size=9), asked=st.sampled_from([*ORDER, None]))
def test_numbers_in_any_order_make_times_of_a_clock_and_parties_of_people(
    words: list[str], asked: Field | None
) -> None:
    said = understand(" ".join(words), asked=asked).said
    assert said.party is None or 1 <= said.party <= 99
    if said.time is not None:
        clock, _, half = said.time.partition(" ")
        hour, _, minute = clock.partition(":")
        assert 1 <= int(hour) <= 12
        assert 0 <= int(minute or 0) < 60
        assert half in {"am", "pm"}
