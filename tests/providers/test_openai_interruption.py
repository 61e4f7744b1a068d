"""`Conversation`: what is forgotten of what the model said when it is interrupted."""

from tests.providers.talk import Talk, kinds
from voice_hitl.provider import ResponseEnded


def test_interrupting_cancels_by_id_and_drops_what_still_comes(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.interrupt(None, "", 0)
    talk.it.interrupt(None, "", 0)
    talk.told()
    [cancel] = talk.sent()
    assert (cancel["type"], cancel["response_id"]) == ("response.cancel", "resp_1")
    talk.speaks("resp_1", "item_1")
    assert talk.told() == []
    talk.ends("resp_1", "cancelled")
    assert talk.told() == [ResponseEnded("resp_1", "cancelled")]


def test_only_the_response_that_was_named_is_interrupted(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.it.interrupt("resp_2", "", 0)
    assert talk.sent() == []


def test_what_was_not_heard_is_truncated(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.begins_item("resp_1", "item_1")
    talk.speaks("resp_1", "item_1")
    talk.it.interrupt("resp_1", "item_1", 400.9)
    cancel, truncate = talk.sent()
    assert cancel["type"] == "response.cancel"
    assert truncate["type"] == "conversation.item.truncate"
    assert (truncate["item_id"], truncate["content_index"], truncate["audio_end_ms"]) == ("item_1", 0, 400)


def test_truncation_is_never_beyond_what_was_sent(talk: Talk) -> None:
    """reports.md 26: interrupted after 57 s of wall time with 9.25 s of audio sent."""
    talk.starts("resp_1")
    talk.begins_item("resp_1", "item_1")
    talk.speaks("resp_1", "item_1", b"\1\0" * 222_000)
    talk.it.interrupt("resp_1", "item_1", 57_340)
    assert [command.get("audio_end_ms") for command in talk.sent()] == [None, 9_250]


def test_an_item_that_was_heard_whole_is_not_truncated(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.says("resp_1", "item_1")
    talk.ends("resp_1")
    talk.it.interrupt("resp_1", "item_1", 57_340)
    assert talk.sent() == []


def test_an_item_that_was_not_heard_at_all_is_deleted(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.begins_item("resp_1", "item_1")
    talk.speaks("resp_1", "item_1")
    talk.it.interrupt("resp_1", "item_1", 0.4)
    talk.it.interrupt("resp_1", "item_1", 0.4)
    assert kinds(talk.sent()) == ["response.cancel", "conversation.item.delete"]


def test_what_its_response_said_after_it_goes_with_it(talk: Talk) -> None:
    talk.starts("resp_1")
    for item_id in ("item_1", "item_2", "item_3"):
        talk.says("resp_1", item_id)
    talk.calls("resp_1", "call_1")
    talk.ends("resp_1")
    talk.it.interrupt("resp_1", "item_2", 100)
    commands = talk.sent()
    assert kinds(commands) == ["conversation.item.truncate", "conversation.item.delete"]
    assert [command["item_id"] for command in commands] == ["item_2", "item_3"]


def test_an_item_is_truncated_further_but_never_back(talk: Talk) -> None:
    talk.starts("resp_1")
    talk.says("resp_1", "item_1")
    for played_ms in (600, 800, 200):
        talk.it.interrupt(None, "item_1", played_ms)
    cuts = [command["audio_end_ms"] for command in talk.sent() if "audio_end_ms" in command]
    assert cuts == [600, 200]


def test_an_item_that_nobody_knows_is_left_alone(talk: Talk) -> None:
    talk.it.interrupt(None, "item_9", 0)
    assert talk.sent() == []


def test_words_said_out_of_band_are_no_history_to_truncate(talk: Talk) -> None:
    talk.it.say("Shall I go ahead?")
    [say] = talk.sent()
    talk.starts("resp_1", str(say["event_id"]))
    talk.begins_item("resp_1", "item_1")
    talk.speaks("resp_1", "item_1")
    talk.it.interrupt(None, "item_1", 200)
    assert kinds(talk.sent()) == ["response.cancel"]


def test_a_response_interrupted_before_it_has_a_name_is_cancelled_when_it_has(talk: Talk) -> None:
    talk.it.respond()
    [create] = talk.sent()
    talk.it.interrupt(None, "", 0)
    assert talk.sent() == []
    talk.starts("resp_1", str(create["event_id"]))
    assert kinds(talk.sent()) == ["response.cancel"]
    talk.it.respond()
    assert talk.sent() == []
    talk.ends("resp_1", "cancelled")
    assert kinds(talk.sent()) == ["response.create"]
