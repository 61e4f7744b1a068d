"""The primitive by itself: create a request, answer it from anywhere, read the outcome.

python samples/without_a_channel.py
"""

import anyio

from voice_hitl import HumanInputHandler, HumanInputRejectedError, PendingInputEvent


async def run() -> None:
    async def notify(event: PendingInputEvent) -> None:
        # Here your application shows the question; the answer comes back by your REST endpoint, from any thread.
        print(f"somebody has to answer {event.tool_name}: {event.arguments}")
        if event.arguments["question"] == "Which colour?":
            handler.resolve(event.pending_id, "blue")
        else:
            handler.reject(event.pending_id, "not today")

    handler = HumanInputHandler(on_input_required=notify)

    request = await handler.create("AskUser", {"question": "Which colour?"}, timeout=60)
    print("answered:", await handler.wait(request.pending_id))
    print("a late answer is taken:", handler.resolve(request.pending_id, "red"))

    request = await handler.create("AskUser", {"question": "Which size?"}, timeout=60)
    try:
        await handler.wait(request.pending_id)
    except HumanInputRejectedError as refused:
        print("refused:", refused)
    await handler.close()


def main() -> None:
    anyio.run(run)


if __name__ == "__main__":
    main()
