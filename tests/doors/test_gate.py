"""May this call run? Every rule of the gate, in its order."""

from collections.abc import Mapping

import pytest

from voice_hitl.calls.outcome import Outcome
from voice_hitl.doors.gate import Catalogue, Gate
from voice_hitl.enums import ChannelType, DoorName, HookTrigger
from voice_hitl.events import ToolCallEvent
from voice_hitl.hooks import HookContext, HookResult, Hooks
from voice_hitl.tools.definition import AITool
from voice_hitl.tools.policy import ToolPolicy

pytestmark = pytest.mark.anyio

TABLE = AITool(
    "book_table",
    "Book a table.",
    {
        "type": "object",
        "properties": {
            "seats": {"type": "integer", "minimum": 1},
            "when": {"enum": ["noon", "evening"]},
            "guest": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        },
        "required": ["seats"],
        "additionalProperties": False,
    },
)
FREE = AITool(
    "free",
    "Anything.",
    {"type": "object", "properties": {"params": {"type": "object"}}, "additionalProperties": False},
)
CONTEXT = HookContext(None, None, None, "desk")


def gate(*tools: AITool, policy: ToolPolicy | None = None, role: str | None = None, undeclared: bool = True) -> Gate:
    return Gate(Catalogue(tools), policy, role, undeclared_pass=undeclared)


def words(admitted: dict[str, object] | Outcome) -> str:
    assert isinstance(admitted, Outcome)
    assert admitted.refused
    return admitted.text


def event(arguments: Mapping[str, object], name: str = "book_table") -> ToolCallEvent:
    return ToolCallEvent(
        channel_id="voice",
        channel_type=ChannelType.REALTIME_VOICE,
        room_id="desk",
        session_id="s1",
        tool_name=name,
        arguments=dict(arguments),
        tool_call_id="c1",
        door=DoorName.PROVIDER_CALL,
    )


def test_a_tool_declared_twice_is_an_error_where_it_is_declared() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        Catalogue([TABLE, TABLE])


def test_what_fits_runs_as_it_is() -> None:
    arguments: dict[str, object] = {"seats": 4, "when": "noon", "guest": {"name": "Ann"}}
    assert gate(TABLE).admit("book_table", arguments) is arguments


def test_an_undeclared_tool_is_refused() -> None:
    assert "no tool named 'fly'" in words(gate(TABLE).admit("fly", {}))


def test_an_empty_catalogue_lets_any_name_pass_where_the_provider_was_configured_elsewhere() -> None:
    assert gate().admit("fly", {"to": "Rome"}) == {"to": "Rome"}
    assert "no tool named" in words(gate(undeclared=False).admit("fly", {}))


def test_the_policy_comes_before_the_arguments() -> None:
    denied = gate(TABLE, policy=ToolPolicy(deny=("book_*",)))
    assert words(denied.admit("book_table", {"seats": "none of your business"})) == (
        "The tool 'book_table' is not allowed here."
    )


def test_a_denial_also_holds_for_a_name_that_an_empty_catalogue_would_let_pass() -> None:
    assert "not allowed" in words(gate(policy=ToolPolicy(deny=("fly",))).admit("fly", {}))


def test_the_role_decides_where_it_has_a_policy_of_its_own() -> None:
    policy = ToolPolicy(deny=("book_*",), roles={"host": ToolPolicy(allow=("book_*",))})
    assert gate(TABLE, policy=policy, role="host").admit("book_table", {"seats": 1}) == {"seats": 1}
    assert "not allowed" in words(gate(TABLE, policy=policy, role="guest").admit("book_table", {"seats": 1}))


def test_quoted_primitives_are_read_as_what_is_declared() -> None:
    assert gate(TABLE).admit("book_table", {"seats": "4"}) == {"seats": 4}


def test_root_members_are_folded_into_a_declared_free_form_object() -> None:
    assert gate(FREE).admit("free", {"a": 1}) == {"params": {"a": 1}}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "seats"),
        ({"seats": 0}, "seats"),
        ({"seats": 1, "when": "dawn"}, "when"),
        ({"seats": 1, "guest": {}}, "name"),
        ({"seats": 1, "country": "FR"}, "country"),
    ],
)
def test_the_whole_schema_is_validated_and_the_refusal_says_where(arguments: dict[str, object], why: str) -> None:
    refusal = words(gate(TABLE).admit("book_table", arguments))
    assert refusal.startswith("The arguments of 'book_table' are not valid: ")
    assert why in refusal


# --- hooks -----------------------------------------------------------------------------------------------------------


async def asked(hooks: Hooks, arguments: Mapping[str, object], *tools: AITool) -> dict[str, object] | Outcome:
    return await gate(*tools).ask_hooks(hooks, event(arguments), CONTEXT)


async def test_a_hook_that_says_nothing_changes_nothing() -> None:
    hooks = Hooks()

    async def watch(_event: ToolCallEvent, _ctx: HookContext) -> None:
        return

    hooks.register(watch, HookTrigger.BEFORE_TOOL_USE)
    assert await asked(hooks, {"seats": 2}, TABLE) == {"seats": 2}


async def test_a_hook_blocks_and_the_model_reads_its_reason() -> None:
    hooks = Hooks()

    async def no(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
        return HookResult.block("We are closed.")

    hooks.register(no, HookTrigger.BEFORE_TOOL_USE)
    assert words(await asked(hooks, {"seats": 2}, TABLE)) == "We are closed."


async def test_a_block_without_a_reason_is_a_plain_refusal() -> None:
    hooks = Hooks()

    async def no(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
        return HookResult.block("")

    hooks.register(no, HookTrigger.BEFORE_TOOL_USE)
    assert words(await asked(hooks, {"seats": 2}, TABLE)) == "The tool 'book_table' was not run."


async def test_a_hook_that_raises_says_no_and_its_error_is_for_the_observers() -> None:
    hooks = Hooks()

    async def broken(_event: ToolCallEvent, _ctx: HookContext) -> None:
        raise RuntimeError("secret")

    hooks.register(broken, HookTrigger.BEFORE_TOOL_USE)
    refusal = await asked(hooks, {"seats": 2}, TABLE)
    assert words(refusal) == "The tool 'book_table' was not run."
    assert isinstance(refusal, Outcome)
    assert "secret" in (refusal.error_detail or "")


async def test_hooks_run_by_priority_each_on_what_the_one_before_left() -> None:
    hooks = Hooks()

    async def second(seen: ToolCallEvent, _ctx: HookContext) -> HookResult:
        assert seen.arguments == {"seats": 3}
        return HookResult.allow({"arguments": {"seats": 4}})

    async def first(seen: ToolCallEvent, _ctx: HookContext) -> None:
        seen.arguments["seats"] = 3

    hooks.register(second, HookTrigger.BEFORE_TOOL_USE, priority=2)
    hooks.register(first, HookTrigger.BEFORE_TOOL_USE, priority=1)
    assert await asked(hooks, {"seats": 2}, TABLE) == {"seats": 4}


@pytest.mark.parametrize("rewritten", [{"seats": "4"}, {"seats": float("nan")}, {}, "four", None])
async def test_what_a_hook_rewrote_is_validated_again_without_repair(rewritten: object) -> None:
    hooks = Hooks()

    async def rewrite(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
        return HookResult.allow({"arguments": rewritten})

    hooks.register(rewrite, HookTrigger.BEFORE_TOOL_USE)
    refusal = await asked(hooks, {"seats": 2}, TABLE)
    assert words(refusal) == "The tool 'book_table' was not run."
    assert isinstance(refusal, Outcome)
    assert "a hook rewrote the arguments" in (refusal.error_detail or "")


async def test_a_hook_cannot_give_a_result() -> None:
    hooks = Hooks()

    async def eager(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
        return HookResult.allow({"result": "done already"})

    hooks.register(eager, HookTrigger.BEFORE_TOOL_USE)
    assert await asked(hooks, {"seats": 2}, TABLE) == {"seats": 2}


async def test_the_arguments_of_an_undeclared_tool_are_what_the_hook_leaves() -> None:
    hooks = Hooks()

    async def rewrite(_event: ToolCallEvent, _ctx: HookContext) -> HookResult:
        return HookResult.allow({"arguments": {"x": 1}})

    hooks.register(rewrite, HookTrigger.BEFORE_TOOL_USE)
    assert await asked(hooks, {}) == {"x": 1}
