from voice_hitl.channels.who_spoke import ALONE, AMONG_OTHERS, RECENT_S, SAID_BY_BACKEND, TOGETHER_S, WhoSpoke
from voice_hitl.tools.context import NOBODY, Actor


def spoke(*turns: tuple[str, float, float]) -> WhoSpoke:
    """Who spoke from when to when."""
    who = WhoSpoke()
    for participant, began, ended in turns:
        who.speaks(participant, began, on=True)
        who.speaks(participant, ended, on=False)
    return who


def test_nobody_is_named_where_nobody_was_heard() -> None:
    assert WhoSpoke().actor(0) is NOBODY


def test_the_last_to_speak_is_the_likeliest() -> None:
    assert spoke(("ada", 1, 2), ("ben", 5, 6)).actor(7) == Actor("ben", ALONE)


def test_who_speaks_now_goes_before_who_has_ended() -> None:
    who = spoke(("ben", 5, 6))
    who.speaks("ada", 1, on=True)
    assert who.actor(20).id == "ada"


def test_of_two_who_speak_at_once_the_last_to_begin_is_meant_and_it_is_doubtful() -> None:
    who = WhoSpoke()
    who.speaks("ada", 1, on=True)
    who.speaks("ben", 2, on=True)
    assert who.actor(3) == Actor("ben", AMONG_OTHERS)


def test_who_spoke_shortly_before_makes_it_doubtful() -> None:
    assert spoke(("ada", 4, 6 - TOGETHER_S + 0.1), ("ben", 5, 6)).actor(7) == Actor("ben", AMONG_OTHERS)
    assert spoke(("ada", 1, 6 - TOGETHER_S), ("ben", 5, 6)).actor(7) == Actor("ben", ALONE)


def test_what_was_said_long_ago_is_no_evidence() -> None:
    who = spoke(("ada", 1, 2))
    who.is_active("ben", 2)
    assert who.actor(2 + RECENT_S) == Actor("ada", AMONG_OTHERS)
    assert who.actor(2 + RECENT_S + 0.1) is NOBODY


def test_the_backend_may_agree_or_make_it_doubtful_or_be_all_there_is() -> None:
    who = spoke(("ada", 1, 2))
    who.is_active("ada", 1)
    assert who.actor(3) == Actor("ada", ALONE)
    who.is_active("ben", 2)
    assert who.actor(3) == Actor("ada", AMONG_OTHERS)
    who.left("ada")
    assert who.actor(3) == Actor("ben", SAID_BY_BACKEND)
    who.is_active(None, 4)
    assert who.actor(4) == Actor("ben", SAID_BY_BACKEND)
    who.left("ben")
    assert who.actor(4) is NOBODY


def test_an_end_without_a_beginning_is_no_speech() -> None:
    who = WhoSpoke()
    who.speaks("ada", 1, on=False)
    assert who.actor(1) is NOBODY
