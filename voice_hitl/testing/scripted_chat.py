"""A chat model that a test plays: each request is expected, in order, and answered as the test says.

::

    with ScriptedChat() as model:
        events = channel.turn("Book a table.", room_id="desk")
        asked = await model.asked(last="Book a table.")
        asked.answer("One moment.", ChatCall("c1", "ConfirmAction", '{"action": "..."}'))
        ...the person answers...
        asked = await model.asked(results={"c1": re.compile("confirmed")})
        asked.answer("Done.")

Strict: a request that nobody expected, one that never came, one that was not answered, and a conversation that a
provider would refuse (a call without its one result behind it) fail the test.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from types import TracebackType

from voice_hitl.chat import ChatCall, ChatEnded, ChatEvent, ChatItem, ChatMessage, ChatRequest, ChatResult, ChatText
from voice_hitl.errors import ConnectionEnded, ProviderError
from voice_hitl.tasks import Mailbox
from voice_hitl.testing.record import WITHIN_S, Record, differences, show
from voice_hitl.tools.calls import ServedCall


class ScriptedAnswer:
    """One request, and the answer that is being given to it. The test writes it; the channel reads it (`ChatReply`)."""

    def __init__(self, request: ChatRequest) -> None:
        self.request = request
        self.closed = False
        """Whether the channel has let go of it."""
        self._events: Mailbox[ChatEvent] = Mailbox()
        self._error: Exception | None = None
        self._ended = False

    # --- the test's side ---------------------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether the test has given all of it."""
        return self._ended or self.closed

    def say(self, text: str) -> None:
        """The next words."""
        self._events.put(ChatText(text))

    def call(self, call: ChatCall) -> None:
        """A call."""
        self._events.put(call)

    def answer(self, *parts: str | ChatCall, end: ChatEnded | None = None) -> None:
        """Give the words and calls, and end; by default as what was given says."""
        for part in parts:
            self._events.put(ChatText(part) if isinstance(part, str) else part)
        calls = any(isinstance(part, ChatCall) and part.served is None for part in parts)
        self._end(end or ChatEnded("calls" if calls else "stop"))

    def break_off(self, error: Exception | None = None) -> None:
        """The answer breaks off, with a `ProviderError` unless given."""
        self._error = error or ProviderError("the script breaks off")
        self._ended = True
        self._events.close()

    def _end(self, ended: ChatEnded) -> None:
        self._events.put(ended)
        self._ended = True
        self._events.close()

    # --- the channel's side: the port --------------------------------------------------------------------------------

    async def get(self) -> ChatEvent:
        """Return the next event."""
        try:
            return await self._events.get()
        except ConnectionEnded:
            if self._error is not None:
                raise self._error from None
            raise

    async def aclose(self) -> None:
        """Let go what is not read yet."""
        self.closed = True
        self._events.close()


class ScriptedChat:
    """A chat model that a test plays. As a context manager it calls `done` at the end, unless the test has failed.

    Args:
        tools: What `run_tool` gives, by name, for a provider that runs tools itself.
        name: What to call it.
    """

    def __init__(
        self, *, tools: Mapping[str, ServedCall | Exception] | None = None, name: str = "scripted chat"
    ) -> None:
        self.name = name
        self.answers: list[ScriptedAnswer] = []
        """Every request so far."""
        self.ran: list[ChatCall] = []
        """The calls that it ran itself."""
        self._tools = dict(tools or {})
        self._refusals: list[Exception] = []
        self._requests: Record[ScriptedAnswer] = Record(name)

    # --- the test's side ---------------------------------------------------------------------------------------------

    async def asked(
        self,
        *,
        last: str | None = None,
        results: Mapping[str, object] | None = None,
        tools: Collection[str] | None = None,
        within_s: float = WITHIN_S,
    ) -> ScriptedAnswer:
        """Return the next request.

        Args:
            last: What its last message must be.
            results: The results that it must end with, by call id; a compiled pattern is searched for.
            tools: The names that it must declare.
            within_s: How long to wait for it, in seconds of the loop's clock.

        Raises:
            AssertionError: It is another one, or none came.
        """
        wanted: dict[str, object] = {}
        if last is not None:
            wanted["last"] = last
        if tools is not None:
            wanted["tools"] = sorted(tools)

        def differs(answer: ScriptedAnswer) -> list[str]:
            request = answer.request
            came = {"last": _last(request.items), "tools": sorted(tool.name for tool in request.tools)}
            wrong = differences(wanted, came)
            if results is not None:
                wrong += differences(results, _results(request.items))
            return wrong

        return await self._requests.expect(
            show("ChatRequest", {**wanted, **(results or {})}), differs, within_s=within_s
        )

    async def expect_nothing(self, *, for_s: float) -> None:
        """Wait so many seconds of the loop's clock, in which no request must come."""
        await self._requests.expect_nothing(for_s=for_s)

    def refuse(self, error: Exception | None = None) -> None:
        """Refuse the next request with `error` (a `ProviderError` unless given)."""
        self._refusals.append(error or ProviderError("the script refuses to answer"))

    def done(self) -> None:
        """Everything must have been expected, answered and read; `AssertionError` otherwise."""
        if self._refusals:
            raise AssertionError(f"{self.name} was to refuse {len(self._refusals)} more requests: none came")
        self._requests.done()
        for number, answer in enumerate(self.answers, 1):
            if not answer.ended:
                raise AssertionError(f"request {number} of {self.name} was never answered to its end")
            if not answer.closed:
                raise AssertionError(f"answer {number} of {self.name} was never let go")

    # --- the channel's side: the port --------------------------------------------------------------------------------

    async def reply(self, request: ChatRequest) -> ScriptedAnswer:
        """Take a request, or refuse it as `refuse` said."""
        check_pairs(request.items)
        if self._refusals:
            raise self._refusals.pop(0)
        answer = ScriptedAnswer(request)
        self.answers.append(answer)
        self._requests.add(answer)
        return answer

    async def run_tool(self, call: ChatCall) -> ServedCall:
        """Give what the script says for this tool."""
        self.ran.append(call)
        result = self._tools.get(call.name, ProviderError(f"the script has no tool {call.name!r}"))
        if isinstance(result, Exception):
            raise result
        return result

    def __enter__(self) -> "ScriptedChat":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.done()


def check_pairs(items: Collection[ChatItem]) -> None:
    """Every call has exactly one result behind it, and there is none without a call, as providers demand."""
    owed: Counter[str] = Counter()
    for item in items:
        match item:
            case ChatCall(call_id):
                owed[call_id] += 1
            case ChatResult(call_id):
                owed[call_id] -= 1
                if owed[call_id] < 0:
                    raise AssertionError(f"a result of call {call_id!r}, which was never made: {items}")
            case ChatMessage():
                if +owed:
                    raise AssertionError(f"calls {sorted(+owed)} have no result before the next message: {items}")
    if +owed:
        raise AssertionError(f"calls {sorted(+owed)} have no result: {items}")


def _last(items: Collection[ChatItem]) -> str | None:
    messages = [item.text for item in items if isinstance(item, ChatMessage)]
    return messages[-1] if messages else None


def _results(items: Collection[ChatItem]) -> dict[str, object]:
    """The results that the conversation ends with."""
    results: dict[str, object] = {}
    for item in reversed(list(items)):
        if not isinstance(item, ChatResult):
            break
        results[item.call_id] = item.text
    return results
