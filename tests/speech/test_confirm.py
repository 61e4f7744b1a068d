"""Yes or no: a doubtful yes is never a yes."""

import pytest

from voice_hitl.questions.model import Approval, Confirm
from voice_hitl.speech.interpret import Match, NoMatch, Reading, interpret

TABLE = Confirm(prompt="Book a table for two at seven. Shall I go ahead?")
OPEN = Confirm(prompt="Would you like me to book a table?")
TRANSFER = Confirm(prompt="Transfer 500 dollars from checking to savings for Ann Lee. Shall I go ahead?")


def read(utterance: str, question: Confirm | Approval = TABLE) -> Reading:
    return interpret(question, utterance)


def test_a_yes_with_a_hold_and_a_dont_is_not_a_yes() -> None:
    assert read("Okay, wait, don't run that.") == Match(False)


def test_a_yes_with_a_question_that_doubts_is_no_consent() -> None:
    assert read("Sure, but what does that command do exactly?") == NoMatch()


@pytest.mark.parametrize(
    "utterance", ["stop the music", "cancel meeting", "yesterday", "yes or no", "what time is it?"]
)
def test_something_else_is_no_answer(utterance: str) -> None:
    assert read(utterance) == NoMatch()


def test_who_tells_and_then_asks_tells_nobody_to_do_it() -> None:
    assert read("Book it.", OPEN) == Match(True)
    assert read("Book it. Please?", OPEN) == NoMatch()


def test_the_words_of_the_question_add_nothing() -> None:
    assert read("yes, book it for two at seven") == Match(True)
    assert read("yes, at seven for two people") == Match(True)
    assert read("yes, that time works") == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "yes, but at eight",
        "yes, at eight",
        "yes, for three",
        "yes, for seven at two",
        "yes, make it eight",
        "yes, two tables",
        "sure, is eight possible?",
        "yes, to me",
    ],
)
def test_another_value_of_a_kind_that_the_question_names_is_a_change(utterance: str) -> None:
    assert read(utterance, Confirm(prompt="Book one table for two at seven at Luigi's?")) == NoMatch()


def test_values_that_change_places_are_a_change() -> None:
    assert read("yes, from checking to savings", TRANSFER) == Match(True)
    assert read("yes, from savings to checking", TRANSFER) == NoMatch()


def test_another_number_of_what_is_asked_is_a_change() -> None:
    tickets = Confirm(prompt="Buy 2 tickets for 3 days?")
    assert read("yes, two tickets", tickets) == Match(True)
    assert read("yes, three tickets", tickets) == NoMatch()
    assert read("yes, a ticket", tickets) == NoMatch()


def test_a_preposition_reaches_over_the_attributes_of_its_noun() -> None:
    accounts = Confirm(prompt="Transfer $450 from your checking account to Jamie's savings account?")
    assert read("yes, from my checking account to Jamie's savings account", accounts) == Match(True)
    assert read("yes, from my savings account", accounts) == NoMatch()
    assert read("yes, to Jamie's checking account", accounts) == NoMatch()


def test_what_turns_a_value_round_is_a_change() -> None:
    stay = Confirm(prompt="Two rooms, checking in on March 8th and checking out on March 11th?")
    assert read("yes, checking in on the 8th and out on the 11th", stay) == Match(True)
    assert read("yes, checking out on March 8th", stay) == NoMatch()
    assert read("yes, from March 11th to March 8th", stay) == NoMatch()
    assert read("yes, from the airport", Confirm(prompt="Book a taxi to the airport?")) == NoMatch()


def test_a_role_of_another_day_is_a_change() -> None:
    flight = Confirm(prompt="2 economy tickets for the flight on March 7th, returning March 11th at 3 pm?")
    assert read("yes, leaving on the 7th and returning on the 11th", flight) == Match(True)
    assert read("yes, returning March 7th", flight) == NoMatch()
    assert read("yes, leaving on the 11th", flight) == NoMatch()
    assert read("yes, leaving", flight) == NoMatch()


def test_a_count_is_no_time() -> None:
    flight = Confirm(prompt="2 economy tickets for the flight at 3 pm?")
    assert read("yes, 2 economy tickets at 3", flight) == Match(True)
    assert read("yes, 3 economy tickets", flight) == NoMatch()
    assert read("yes, there are three of us", flight) == NoMatch()
    assert read("yes, we are three", flight) == NoMatch()


def test_one_of_several_is_no_day() -> None:
    assert read("yes, the second whirligig", OPEN) == NoMatch()
    assert read("yes, on March second please", OPEN) == Match(True, "on March second please")
    assert read("yes, on the second for two", OPEN) == Match(True, "on the second for two")


def test_to_ask_for_a_day_beside_what_is_read_back_is_no_yes() -> None:
    assert read("yes, is it free on Monday?", Confirm(prompt="Please confirm: two seats at Luigi's.")) == NoMatch()
    assert read("yes, is Monday possible?", OPEN) == Match(True, "is Monday possible?")


def test_what_begins_is_told_from_what_ends() -> None:
    car = Confirm(prompt="A car picked up in Oakland on March 4th, dropped off on March 9th?")
    assert read("yes, pick up on the 4th, dropping off on the 9th", car) == Match(True)
    assert read("yes, on March 9th", car) == Match(True)
    assert read("yes, dropped off on March 4th", car) == NoMatch()


def test_another_thing_of_its_kind_is_a_change() -> None:
    bus = Confirm(prompt="Buy 2 tickets for the bus to Fresno?")
    assert read("yes, the bus tickets", bus) == Match(True)
    assert read("yes, train tickets", bus) == NoMatch()
    assert read("yes, is there a train?", bus) == NoMatch()
    song = Confirm(prompt="Play the song Blue Moon?")
    assert read("yes, play the album", song) == NoMatch()
    assert read("yes, what album is it from?", song) == Match(True, "what album is it from?")


def test_another_unit_is_a_change() -> None:
    money = Confirm(prompt="Transfer $450 to Jamie?")
    assert read("yes, 450 dollars", money) == Match(True)
    assert read("yes, $450", money) == Match(True)
    assert read("yes, 450 euros", money) == NoMatch()
    assert read("yes, 450€", money) == NoMatch()


def test_a_time_that_is_not_to_be_had_is_not_what_is_asked() -> None:
    instead = Confirm(prompt="Sorry, there was nothing on Friday at 2 pm. Would Monday at 4:30 pm work instead?")
    assert read("yes, Monday at 4:30 pm", instead) == Match(True)
    assert read("yes, that works instead", instead) == Match(True)
    assert read("yes, at 2 pm", instead) == NoMatch()
    assert read("yes, on Friday", instead) == NoMatch()
    full = Confirm(prompt="2 pm is not free on the 9th. Shall I take 2 pm on the 10th?")
    assert read("yes, at 2 pm", full) == Match(True)
    assert read("yes, on the 9th", full) == NoMatch()


def test_to_judge_a_part_of_it_is_no_yes_to_the_rest() -> None:
    stay = Confirm(prompt="Two rooms at the Grand Hotel on March 8th. Is that right?")
    assert read("the hotel is right", stay) == NoMatch()
    assert read("yes, the hotel is right", stay) == Match(True)
    assert read("March 8th is fine", stay) == Match(True)
    assert read("the table is fine", OPEN) == Match(True)


def test_a_name_that_begins_with_a_praise_is_no_praise() -> None:
    cuts = Confirm(prompt="Would 4:30 at Elite Cuts work?")
    assert read("Elite Cuts is fine", cuts) == Match(True)
    assert read("Super Cuts is fine", cuts) == NoMatch()
    assert read("great. Cuts is fine", cuts) == Match(True)


def test_to_make_something_else_of_it_takes_nothing_up() -> None:
    assert not is_yes(read("Make it a reservation", OPEN))
    assert is_yes(read("Get that reservation", OPEN))
    assert is_yes(read("Start the movie", Confirm(prompt="Okay, starting The Last Dragon. Is that correct?")))


def test_what_is_asked_may_be_called_by_what_it_comes_to() -> None:
    assert read("go ahead with the booking", Confirm(prompt="Please confirm: two seats at seven.")) == Match(True)
    assert read("yes, proceed with booking", Confirm(prompt="Please confirm: two seats at seven.")) == Match(True)
    assert read("yes, a booking", Confirm(prompt="Please confirm: two seats at seven.")) == NoMatch()


def test_with_and_without_are_told_apart() -> None:
    without = Confirm(prompt="Play the movie without subtitles?")
    assert read("yes, without subtitles", without) == Match(True)
    assert read("yes, with subtitles", without) == NoMatch()
    with_them = Confirm(prompt="Play the movie with subtitles?")
    assert read("yes, with subtitles", with_them) == Match(True)
    assert read("yes, without subtitles", with_them) == NoMatch()
    assert read("yes, without onions", with_them) == NoMatch()
    assert read("yes, without", with_them) == NoMatch()


@pytest.mark.parametrize(
    ("utterance", "remainder"),
    [
        ("yes, on the 5th", "on the 5th"),
        ("Yes please. I would like it for two people", "I would like it for two people"),
        ("sure, can you do it at half past seven?", "can you do it at half past seven?"),
        ("yes on friday, and what does it cost", "on friday, and what does it cost"),
        ("yes, until the 8th of March", "until the 8th of March"),
    ],
)
def test_a_detail_that_the_question_left_open_goes_with_the_yes(utterance: str, remainder: str) -> None:
    assert read(utterance, OPEN) == Match(True, remainder)


@pytest.mark.parametrize(
    "utterance",
    [
        "yes, ask me on friday",
        "yes and ask me on friday",
        "sure ask me on friday",
        "yes, I want to sell two",
        "yes, something on friday",
        "yes, a whirligig game on friday",
    ],
)
def test_a_detail_of_something_else_is_no_yes(utterance: str) -> None:
    assert read(utterance, OPEN) == NoMatch()


def test_a_detail_needs_a_clear_yes() -> None:
    assert read("okay, on the 5th", OPEN) == NoMatch()


def test_a_detail_in_a_story_is_no_yes() -> None:
    story = "yes mother Susan fell down stairs yesterday hospital called doctors everywhere crying"
    assert read(story, OPEN) == NoMatch()
    assert read("yes, call Susan at eight", Confirm(prompt="Shall I book it at Luigi's?")) == NoMatch()


def test_a_detail_is_a_change_where_a_wrong_yes_costs_most() -> None:
    assert read("yes, on the 5th", Confirm(prompt="Shall I pay?", risk="high")) == NoMatch()
    approval = Approval(tool="pay_bill", arguments={"amount": 12}, digest="d")
    assert read("yes, on the 5th", approval) == NoMatch()
    assert read("yes, pay the bill", approval) == Match(True)


def test_a_deed_that_the_question_does_not_name_goes_with_the_yes() -> None:
    assert read("yes, play it", Confirm(prompt="Should I stick it on?")) == Match(True, "play it")
    assert read("yes, play it", Confirm(prompt="Should I throw it on?")) == Match(True)
    assert read("yes, pay it", OPEN) == NoMatch()
    assert read("yes, book it", Confirm(prompt="Please confirm: Delta at seven.")) == Match(True)


def test_a_question_goes_with_the_yes() -> None:
    assert read("that works, what's their address?") == Match(True, "what's their address?")
    assert read("yes. I need their phone number.") == Match(True, "I need their phone number.")
    assert read("Perfect. Total price?") == Match(True, "Total price?")
    assert read("yes, is it refundable. thank you, bye") == Match(True, "is it refundable. thank you, bye")


def test_a_question_is_an_aside_where_a_wrong_yes_costs_most() -> None:
    assert read("yes, what does it cost?", Confirm(prompt="Shall I pay?", risk="high")) == NoMatch()


def test_an_acknowledgement_with_a_question_is_no_yes() -> None:
    assert read("okay, what's my balance?") == NoMatch()


def test_a_deed_that_is_asked_for_is_no_question() -> None:
    assert read("yes. can you send it to Bob?") == NoMatch()


@pytest.mark.parametrize("utterance", ["yes?", "okay?", "sure?"])
def test_a_yes_that_asks_is_no_yes(utterance: str) -> None:
    assert read(utterance) == NoMatch()


@pytest.mark.parametrize("piece", ["Shall I go ahead?", "table for two at seven", "Book a table", TABLE.prompt])
def test_our_own_words_never_answer(piece: str) -> None:
    assert read(piece) == NoMatch()


def test_an_assent_within_the_question_s_own_words_never_answers() -> None:
    assert read("say yes to go ahead", Confirm(prompt="Please say yes to go ahead")) == NoMatch()
    assert read("yes to go ahead", Confirm(prompt="Please say yes to go ahead")) == NoMatch()


@pytest.mark.parametrize(
    ("utterance", "remainder"),
    [
        ("no, make it fifty", "make it fifty"),
        ("No. What does it cost?", "What does it cost?"),
        ("no, thanks", None),
        ("No, that's okay, thank you.", None),
        ("don't do it", None),
    ],
)
def test_no_keeps_what_is_wanted_instead(utterance: str, remainder: str | None) -> None:
    assert read(utterance) == Match(False, remainder)


def test_no_wins_over_a_yes_before_it() -> None:
    assert read("yes... no") == Match(False)
    assert read("sure, but I'd rather not") == Match(False)


def test_a_yes_after_a_no_is_neither() -> None:
    assert read("no. Yes, go ahead") == NoMatch()
    assert read("no. go ahead") == NoMatch()


def test_a_yes_with_a_no_to_something_in_it_is_neither() -> None:
    assert read("yes, no subtitles please") == NoMatch()


def test_ending_the_matter_without_a_yes_is_a_no() -> None:
    assert read("That's all, thank you.") == Match(False)
    assert read("Yes, that's all.") == Match(True)
    assert read("That's all. What's the weather?") == NoMatch()


@pytest.mark.parametrize("utterance", ["stop", "cancel it please", "Stop that right now!"])
def test_stopping_what_is_asked_is_a_no(utterance: str) -> None:
    assert read(utterance) == Match(False)


def test_stopping_beside_a_yes_is_neither() -> None:
    assert read("okay stop") == NoMatch()
    assert read("stop, what does it cost?") == NoMatch()


def test_a_verb_of_ending_may_be_what_is_asked() -> None:
    cancel = Confirm(prompt="Shall I cancel the booking?")
    assert read("yes, cancel it", cancel) == Match(True)
    assert read("cancel it", cancel) == NoMatch()
    assert read("no", cancel) == Match(False)


def test_the_one_of_the_right_one_counts_nothing() -> None:
    assert read("yes, that is a good one") == Match(True)
    assert read("yes. one") == NoMatch()


def test_conditions_are_no_yes_but_may_be_asked_about() -> None:
    assert read("yes, if it is free", OPEN) == NoMatch()
    assert read("yes, until", OPEN) == NoMatch()
    assert read("yes, after seven") == NoMatch()
    assert read("yes, tell me if they have parking", OPEN) == Match(True, "tell me if they have parking")


def test_a_choice_in_the_question_is_not_answered_by_a_yes_to_one_of_them() -> None:
    assert read("yes, the red box", Confirm(prompt="Do you want the red or the blue box?")) == NoMatch()


def test_what_is_pointed_at_is_what_is_asked() -> None:
    assert read("yes, book that flight", Confirm(prompt="Book Delta at seven?")) == Match(True)
    assert read("yes, book that whirligig", Confirm(prompt="Book Delta at seven?")) == Match(True)
    assert read("yes, that stinks", OPEN) == NoMatch()
    assert read("that whirligig works for me", OPEN) == Match(True)
    assert read("yes, book the whirligig", OPEN) == NoMatch()
    assert read("yes, the price is fine", OPEN) == Match(True)
    assert read("yes, the price is high", OPEN) == NoMatch()
    assert read("yes, this whirligig thing", OPEN) == NoMatch()


def test_the_details_of_a_confirmation_are_words_of_the_question() -> None:
    question = Confirm(
        prompt="Shall I?", action="transfer", details={"amount": 500, "day": "2026-03-05", "odd": "2026-13-05"}
    )
    assert read("yes, transfer five hundred on March fifth", question) == Match(True)
    assert read("yes, on March sixth", question) == NoMatch()


def test_the_words_of_an_approval_are_its_tool_and_its_arguments() -> None:
    approval = Approval(
        tool="refund_order", arguments={"to": "Ann Lee"}, digest="d", title="Refund", speak="Refund {to}"
    )
    assert read("yes, refund Ann Lee", approval) == Match(True)
    assert read("yes, refund Bob", approval) == NoMatch()


@pytest.mark.parametrize(
    "utterance",
    [
        "Book it.",
        "please book it",
        "Make the reservation.",
        "We'll take it",
        "I'd like to book it",
        "you can book the table now",
        "could you please book it?",
        "I'll take the table",
    ],
)
def test_to_take_the_question_up_in_other_words_is_a_yes(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "book it?",
        "book a hotel",
        "book it at eight",
        "book two tables",
        "I have booked it",
        "I already booked it",
        "I'll book it",
        "I can do it",
        "let me do it",
        "I'll have to pass",
        "book",
        "book it tomorrow",
        "don't book it",
        "take the bus",
    ],
)
def test_to_tell_something_else_is_no_yes(utterance: str) -> None:
    assert not is_yes(read(utterance))


def is_yes(reading: Reading) -> bool:
    return isinstance(reading, Match) and reading.value is True


def test_what_a_question_would_end_or_leave_out_is_not_taken_up() -> None:
    assert not is_yes(read("play it", Confirm(prompt="Shall I stop playing the movie?")))
    assert not is_yes(read("play the movie", Confirm(prompt="Shall I play it without subtitles?")))
    assert not is_yes(read("pay it", Confirm(prompt="Shall I pay the bill?", risk="high")))


def test_a_detail_may_go_with_what_is_taken_up() -> None:
    assert read("Book it for friday", Confirm(prompt="Shall I book it?")) == Match(True, "it for friday")
    assert read("I want two tickets", Confirm(prompt="Shall I get tickets?")) == Match(True, "two tickets")
    assert not is_yes(read("see it tomorrow", Confirm(prompt="Shall I get tickets?")))


@pytest.mark.parametrize("utterance", ["I do.", "It is.", "you may", "we would", "why not", "I'd love to", "feel free"])
def test_a_whole_clause_assents(utterance: str) -> None:
    assert read(utterance) == Match(True)


@pytest.mark.parametrize(
    "utterance",
    [
        "it is what it is",
        "I do mind",
        "why not seven",
        "why. not now",
        "you may cancel",
        "it is late",
        "I would wait",
        "what I do",
        "I'd love to but I can't",
    ],
)
def test_a_clause_that_goes_on_does_not(utterance: str) -> None:
    assert not is_yes(read(utterance))


def test_a_judgement_of_all_of_it_is_a_yes_and_of_the_past_is_none() -> None:
    for judged in (
        "Yes, everything's good",
        "all is well",
        "excellent choice",
        "That sounds about right",
        "fine to me",
    ):
        assert read(judged) == Match(True), judged
    for past in ("that was good", "it was correct", "would have been great", "were fine", "some of it is right"):
        assert not is_yes(read(past)), past


def test_an_offer_may_be_declined_by_thats_okay() -> None:
    assert not is_yes(read("That's okay.", OPEN))
    assert read("That's okay with me.", OPEN) == Match(True)
    assert read("That's okay.", TABLE) == Match(True)


def test_what_ends_in_the_middle_is_no_yes() -> None:
    for cut in ("yes, for", "yes I would like a", "okay and", "sure, at"):
        assert read(cut) == NoMatch(), cut


def test_the_end_without_a_clear_yes_is_no_yes() -> None:
    assert not is_yes(read("Great, that's all I need.", OPEN))
    assert not is_yes(read("That's good for now.", OPEN))


def test_a_sentence_s_end_cuts_a_phrase_where_it_is() -> None:
    assert read("I'm good. Thanks.", OPEN) == Match(False)
    assert read("I am all set. Thank you", OPEN) == Match(False)


def test_something_first_is_not_yet() -> None:
    assert not is_yes(read("yes, tell me the price first"))
    assert not is_yes(read("yes, first I need to check my balance"))
    assert is_yes(read("yes, on March first", Confirm(prompt="Shall I book it for March 1st?")))


@pytest.mark.parametrize(
    ("utterance", "yes"),
    [
        ("yes, at seven thirty", True),
        ("yes, 7:30 pm", True),
        ("yes, at seven", False),
        ("yes, 7:30 am", False),
        ("yes, at 7:00", False),
        ("yes, at 7:45", False),
    ],
)
def test_a_clock_time_is_one_value(utterance: str, *, yes: bool) -> None:
    assert is_yes(read(utterance, Confirm(prompt="Book a table at 7:30 pm?"))) is yes


def test_a_number_counts_what_it_counts_in_the_question() -> None:
    rooms = Confirm(prompt="Book a room for 3 days for 2 people?")
    assert is_yes(read("yes, for 2 people", rooms))
    assert not is_yes(read("yes, 3 rooms", rooms))
    assert not is_yes(read("yes, 2 days", rooms))
    assert not is_yes(read("yes, 500 euros", TRANSFER))


def test_without_reaches_over_an_article() -> None:
    without = Confirm(prompt="Play it without the subtitles?")
    assert read("yes, with the subtitles", without) == NoMatch()
    assert read("yes, no subtitles", Confirm(prompt="Play it, no subtitles?")) != Match(False)
    assert read("yes, I want subtitles", Confirm(prompt="Play it, no subtitles?")) == NoMatch()


def test_another_thing_that_is_wanted_is_no_detail() -> None:
    assert not is_yes(read("yes, I need a house for one person", Confirm(prompt="Are you ready to buy tickets?")))
    assert not is_yes(read("yes, find me something on friday", Confirm(prompt="Are you ready to buy tickets?")))
    assert not is_yes(read("yes, get me a cab there", Confirm(prompt="Shall I add it to your calendar?")))


def test_why_it_was_read_so_is_told() -> None:
    assert read("nope").rule == "no: 'nope'"
    assert read("yes, but at eight").rule == "aside: change: 'but'"
    assert read("maybe").rule == "unsure: 'maybe'"
    assert read("thank you").rule == "neither yes nor no"
    assert read("the weather").rule == "aside: neither yes nor no"
    assert read("   ").rule == "nothing was said"
