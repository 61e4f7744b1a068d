import pytest

from voice_hitl.requests.scopes import REMEMBERED, Scope, Scopes


@pytest.mark.parametrize(
    ("scope", "covered"),
    [
        (Scope(), True),
        (Scope("voice"), True),
        (Scope("voice", "r1", "s1"), True),
        (Scope("desk"), False),
        (Scope("voice", "r2"), False),
        (Scope("voice", "r1", "s2"), False),
    ],
)
def test_a_scope_covers_what_matches_all_it_names(scope: Scope, *, covered: bool) -> None:
    assert scope.covers("voice", "r1", "s1") is covered


def test_everything_is_open_at_first() -> None:
    assert Scopes().why_closed("voice", "r1", "s1") is None


def test_a_session_is_closed_for_good() -> None:
    scopes = Scopes()
    scopes.close(Scope("voice", "r1", "s1"))
    scopes.register("voice")
    scopes.attach("r1", channel_id="voice")
    assert scopes.why_closed("voice", "r1", "s1") == "session 's1' has ended: it takes no more requests"
    assert scopes.why_closed("voice", "r1", "s2") is None


def test_a_channel_is_closed_until_it_is_registered_again() -> None:
    scopes = Scopes()
    scopes.register("voice")
    scopes.close(Scope("voice"))
    assert "register it again" in str(scopes.why_closed("voice", "r1", ""))
    assert not scopes.registered
    scopes.register("voice")
    assert scopes.why_closed("voice", "r1", "") is None
    assert scopes.registered == ("voice",)


def test_a_room_is_closed_until_a_channel_attaches_to_it_again() -> None:
    scopes = Scopes()
    scopes.close(Scope(room_id="r1"))
    assert "attach it again" in str(scopes.why_closed("voice", "r1", ""))
    scopes.attach("r1", channel_id="desk")
    assert scopes.why_closed("voice", "r1", "") is None


def test_a_channels_room_is_closed_for_that_channel_only() -> None:
    scopes = Scopes()
    scopes.close(Scope("voice", "r1"))
    assert scopes.why_closed("voice", "r1", "") is not None
    assert scopes.why_closed("voice", "r2", "") is scopes.why_closed("desk", "r1", "") is None
    scopes.attach("r1", channel_id="desk")
    assert scopes.why_closed("voice", "r1", "") is not None
    scopes.attach("r1", channel_id="voice")
    assert scopes.why_closed("voice", "r1", "") is None


def test_everything_is_closed_for_good() -> None:
    scopes = Scopes()
    token = scopes.register("voice")
    scopes.close(Scope())
    scopes.register("voice")
    assert scopes.why_closed("voice", "", "") == "the human-input handler is closed"
    assert scopes.holder(token) is None


def test_a_token_names_one_registration() -> None:
    scopes = Scopes()
    displaced, current = scopes.register("voice"), scopes.register("voice")
    assert (scopes.holder(displaced), scopes.holder(current)) == (None, "voice")
    scopes.close(Scope("voice"))
    assert scopes.holder(current) is None


def test_only_so_many_ended_sessions_are_remembered() -> None:
    scopes = Scopes()
    for number in range(REMEMBERED + 1):
        scopes.close(Scope(session_id=f"s{number}"))
    assert scopes.why_closed("", "", "s0") is None
    assert scopes.why_closed("", "", "s1") is not None
    assert scopes.why_closed("", "", f"s{REMEMBERED}") is not None


@pytest.mark.parametrize("room", ["room", "rooms of one channel", "channel"])
def test_of_everything_closed_the_latest_are_remembered(room: str) -> None:
    def scope(number: int) -> Scope:
        match room:
            case "room":
                return Scope(room_id=f"r{number}")
            case "channel":
                return Scope(f"c{number}")
            case _:
                return Scope("voice", f"r{number}")

    def why(number: int) -> str | None:
        channel = f"c{number}" if room == "channel" else "voice"
        return scopes.why_closed(channel, f"r{number}", "")

    scopes = Scopes()
    for number in range(REMEMBERED):
        scopes.close(scope(number))
    scopes.close(scope(0))  # closed again: it is the latest
    scopes.close(scope(REMEMBERED))
    assert why(0) is not None
    assert why(1) is None
    assert why(REMEMBERED) is not None
