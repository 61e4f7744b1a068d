from voice_hitl.calls.going_on import RESPONSES_REMEMBERED, GoingOn


def called(*call_ids: str, response_id: str = "r1") -> GoingOn:
    """A response that issued these calls and has ended."""
    going_on = GoingOn()
    going_on.response_started(response_id)
    for call_id in call_ids:
        going_on.called(call_id, response_id)
    going_on.response_ended(response_id)
    return going_on


def test_a_response_without_calls_owes_nothing() -> None:
    assert not called().take_due()


def test_an_output_asks_the_model_on_once() -> None:
    going_on = called("c1")
    assert not going_on.take_due()
    going_on.delivered("c1", "r1")
    assert going_on.take_due()
    assert not going_on.take_due()


def test_it_waits_for_every_output_of_the_response() -> None:
    going_on = called("c1", "c2")
    going_on.delivered("c1", "r1")
    assert not going_on.take_due()
    going_on.delivered("c2", "r1")
    assert going_on.take_due()


def test_it_waits_for_the_end_of_the_response() -> None:
    going_on = GoingOn()
    going_on.response_started("r1")
    going_on.called("c1", "r1")
    going_on.delivered("c1", "r1")
    assert going_on.responding
    assert not going_on.take_due()
    going_on.response_ended("r1")
    assert not going_on.responding
    assert going_on.take_due()


def test_a_model_never_waits_for_a_person_to_hear_of_a_look_up() -> None:
    going_on = called("look_up", "confirm")
    going_on.asking("confirm", "r1")
    going_on.delivered("look_up", "r1")
    assert going_on.take_due()
    going_on.delivered("confirm", "r1")
    assert going_on.take_due()


def test_a_person_alone_is_waited_for_and_answered_once() -> None:
    going_on = called("confirm")
    going_on.asking("confirm", "r1")
    assert not going_on.take_due()
    going_on.delivered("confirm", "r1")
    assert going_on.take_due()
    assert not going_on.take_due()


def test_two_people_are_answered_one_by_one() -> None:
    going_on = called("c1", "c2")
    going_on.asking("c1", "r1")
    going_on.asking("c2", "r1")
    going_on.delivered("c1", "r1")
    assert going_on.take_due()
    going_on.delivered("c2", "r1")
    assert going_on.take_due()


def test_nothing_sent_asks_nobody_on() -> None:
    going_on = called("c1", "c2")
    going_on.dropped("c1", "r1")
    going_on.dropped("c2", "r1")
    assert not going_on.take_due()


def test_one_sent_and_one_dropped_asks_on() -> None:
    going_on = called("c1", "c2")
    going_on.delivered("c1", "r1")
    going_on.dropped("c2", "r1")
    assert going_on.take_due()


def test_nobody_is_asked_on_while_the_floor_is_taken_or_the_caller_speaks() -> None:
    going_on = called("c1")
    going_on.floor_taken = going_on.caller_speaks = True
    going_on.delivered("c1", "r1")
    assert not going_on.take_due()
    going_on.floor_taken = False
    assert not going_on.take_due()
    going_on.caller_speaks = False
    assert going_on.take_due()


def test_a_response_that_comes_by_itself_pays_what_was_owed() -> None:
    going_on = called("c1")
    going_on.delivered("c1", "r1")
    going_on.response_started("r2")
    going_on.response_ended("r2")
    assert not going_on.take_due()


def test_where_no_response_is_named_each_call_is_asked_on_by_itself() -> None:
    going_on = GoingOn()
    for call_id in ("c1", "c2"):
        going_on.called(call_id, "")
        going_on.delivered(call_id, "")
        assert going_on.take_due()


def test_a_lost_connection_ends_its_responses_and_what_was_cut_is_taken_up_again() -> None:
    going_on = GoingOn()
    going_on.response_started("r1")
    going_on.called("c1", "r1")
    going_on.forget_connection()
    assert not going_on.responding
    assert going_on.take_due()
    going_on.delivered("c1", "r1")
    assert going_on.take_due()


def test_a_lost_connection_between_responses_cuts_nothing_and_knows_of_no_speech() -> None:
    going_on = called("c1")
    going_on.caller_speaks = True
    going_on.forget_connection()
    assert not going_on.take_due()
    going_on.delivered("c1", "r1")
    assert going_on.take_due()


def test_a_model_that_goes_on_by_itself_is_not_asked_on_for_an_output() -> None:
    going_on = GoingOn(replies_to_results=True)
    going_on.response_started("r1")
    for call_id in ("look_up", "confirm"):
        going_on.called(call_id, "r1")
    going_on.response_ended("r1")
    going_on.asking("confirm", "r1")
    going_on.delivered("look_up", "r1")
    going_on.delivered("confirm", "r1")
    assert not going_on.take_due()
    going_on.owe()
    assert going_on.take_due()


def test_what_was_told_as_text_asks_on() -> None:
    going_on = GoingOn()
    going_on.owe()
    assert going_on.take_due()


def test_news_of_what_is_not_known_changes_nothing() -> None:
    going_on = GoingOn()
    going_on.delivered("c1", "r1")
    going_on.dropped("c1", "r1")
    going_on.asking("c1", "r1")
    going_on.response_ended("r1")
    going_on.called("c2", "r2")
    going_on.asking("c1", "r2")
    assert not going_on.take_due()


def test_a_call_that_comes_when_its_response_has_ended_is_gone_on_from_too() -> None:
    going_on = called()
    going_on.called("late", "r1")
    assert not going_on.take_due()
    going_on.delivered("late", "r1")
    assert going_on.take_due()
    assert not going_on.take_due()


def test_a_response_that_begins_again_under_its_name_is_another_one() -> None:
    going_on = called("c1")
    going_on.delivered("c1", "r1")
    assert going_on.take_due()
    going_on.response_started("r1")
    for call_id in ("c2", "c3"):
        going_on.called(call_id, "r1")
    going_on.delivered("c2", "r1")
    going_on.response_ended("r1")
    assert not going_on.take_due()


def test_only_so_many_responses_that_ended_are_remembered() -> None:
    going_on = called()
    for number in range(RESPONSES_REMEMBERED):
        going_on.response_ended(f"later {number}")
    going_on.called("late", "r1")
    going_on.delivered("late", "r1")
    assert not going_on.take_due()
