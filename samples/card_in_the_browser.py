"""An agent in the browser that asks on a card before it books.

    pip install 'voice-hitl[demo]'
    python samples/card_in_the_browser.py --serve

Open the page it names, call, and ask for a table. Without `--serve` it only puts everything together and says what the
model is told it may call.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse
from starlette.routing import Route

import voice_hitl
from voice_hitl import AITool, CardAsker, HumanInputToolHandler, RealtimeVoiceChannel, VoiceKit, confirm_action
from voice_hitl_local import LocalProvider
from voice_hitl_webrtc import Caller, WebRTCTransport

PORT = 8080
CLIENT = Path(voice_hitl.__file__).parent / "static" / "voice-hitl.js"
PAGE = """<!doctype html><meta charset="utf-8"><title>Front desk</title><body>
<button id="call">Call</button><div id="card"></div>
<script type="module">
import { call } from "/voice-hitl.js";
document.getElementById("call").onclick = async () => {
  const live = await call("/offer");
  const card = document.getElementById("card");
  live.on("request.opened", (request) => {
    if (request.status !== "executing") return;
    card.textContent = request.question.prompt;
    for (const [words, value] of [["Yes", true], ["No", false]]) {
      const button = card.appendChild(document.createElement("button"));
      button.textContent = words;
      button.onclick = () => live.answer(request.pending_id, { action: "answer", value });
    }
  });
  live.on("request.settled", () => (card.textContent = ""));
};
</script>"""

BOOK_TABLE = AITool(
    "book_table",
    "Book a table. Only after ConfirmAction said yes.",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "party_size": {"type": "integer"},
            "day": {"type": "string"},
            "time": {"type": "string"},
        },
        "required": ["name", "party_size", "day", "time"],
    },
)


async def book_table(_name: str, arguments: Mapping[str, object]) -> object:
    print("booked:", dict(arguments))
    return {"booked": True}


async def anybody(_request: Request) -> Caller:
    return Caller(participant_id="guest")


def create() -> tuple[Starlette, RealtimeVoiceChannel, HumanInputToolHandler]:
    human = HumanInputToolHandler(
        {"ConfirmAction"}, timeout=60, tool_definitions=[confirm_action()], askers=[CardAsker()]
    )
    transport = WebRTCTransport(authorize=anybody)
    desk = RealtimeVoiceChannel(
        "desk",
        provider=LocalProvider(),
        transport=transport,
        system_prompt="You take bookings for a restaurant.",
        tools=[BOOK_TABLE],
        tool_handler=book_table,
        human_input_handler=human,
    )
    kit = VoiceKit()
    kit.register_channel(desk)

    async def page(_request: Request) -> HTMLResponse:
        return HTMLResponse(PAGE)

    async def client(_request: Request) -> FileResponse:
        return FileResponse(CLIENT, media_type="text/javascript")

    routes = [Route("/", page), Route("/voice-hitl.js", client), *transport.routes("/offer")]
    return Starlette(routes=routes), desk, human


def main() -> None:
    app, desk, human = create()
    if "--serve" in sys.argv:
        print(f"open http://127.0.0.1:{PORT}/")
        uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
    else:
        print(f"channel {desk.id}: {[tool.name for tool in (BOOK_TABLE, *human.tool_definitions)]}")


if __name__ == "__main__":
    main()
