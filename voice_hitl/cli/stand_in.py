"""A stand-in for OpenAI where there is no key: the local server, with a model that does what a probe asks of it.

It shows that the plugin and the server agree, over real sockets; nothing about the service.
"""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, cast

from voice_hitl.testing.openai_realtime import Call, OpenAIRealtimeServer, Say, Step, Turn

SPEED: Final = 5.0
"""How many times faster than heard its audio is sent: a response lasts long enough to be cut."""

NUMBERS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty twenty-one twenty-two twenty-three twenty-four twenty-five twenty-six twenty-seven "
    "twenty-eight twenty-nine thirty"
)


@asynccontextmanager
async def stand_in() -> AsyncGenerator[OpenAIRealtimeServer]:
    """The server, for as long as the block runs."""
    async with OpenAIRealtimeServer(speed=SPEED) as server:
        server.on_turn(obey)
        server.on_utterance(lambda _utterance: "I'd like to book a table.")
        yield server


def obey(turn: Turn) -> Sequence[Step]:
    """Do what the newest text asks."""
    only = re.search(r'say only: "([^"]+)"', str(turn.session["instructions"]))
    if only is not None:
        return [Say(only[1])]
    if turn.outputs:
        return [Say("The result is here.")]
    texts = list(_texts(turn))
    asked = texts[-1] if texts else ""
    if asked.startswith("Call look_up"):
        return [Call("look_up", {"q": "the weather"})]
    if asked.startswith("Count aloud"):
        return [Say(NUMBERS)]
    if asked.startswith("Say every code word"):
        known = [word for text in texts for word in re.findall(r"The code word is (\w+)", text)]
        return [Say(f"I was told: {', '.join(known)}.")]
    return [Say("I heard you.")]


def _texts(turn: Turn) -> Iterator[str]:
    for item in turn.history:
        for part in cast("Sequence[dict[str, object]]", item.get("content") or ()):
            if part.get("type") == "input_text":
                yield str(part["text"])
