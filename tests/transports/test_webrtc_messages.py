import logging

import pytest

from voice_hitl_webrtc.messages import MAX_BYTES, MAX_QUEUED, MessageChannel


def a_channel() -> MessageChannel:
    return MessageChannel("c1", on_text=lambda _: None, on_closed=lambda: None)


def waiting(channel: MessageChannel) -> list[str]:
    return list(channel._waiting)  # pyright: ignore[reportPrivateUsage] - nothing else shows what is kept


def test_only_so_many_messages_wait_and_the_oldest_go_first(caplog: pytest.LogCaptureFixture) -> None:
    channel = a_channel()
    for number in range(MAX_QUEUED + 10):
        channel.send(str(number))
    assert waiting(channel) == [str(number) for number in range(10, MAX_QUEUED + 10)]
    assert len(caplog.records) == 1


@pytest.mark.parametrize("text", ["x" * (MAX_BYTES + 1), "\u20ac" * (MAX_BYTES // 3 + 1)])
def test_a_message_too_long_is_not_sent_and_that_is_logged_once(text: str, caplog: pytest.LogCaptureFixture) -> None:
    channel = a_channel()
    with caplog.at_level(logging.WARNING):
        channel.send(text)
        channel.send(text)
    assert not waiting(channel)
    assert [record.getMessage() for record in caplog.records] == [
        "call c1: a message of more than 65536 bytes was not sent"
    ]


def test_a_message_of_exactly_the_longest_length_waits() -> None:
    channel = a_channel()
    channel.send("\u20ac" * (MAX_BYTES // 3))
    assert len(waiting(channel)) == 1
