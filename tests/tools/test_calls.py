"""A call as a chat model hands it over."""

from voice_hitl.tools.calls import AIToolCall, ServedCall


def test_a_call_is_served_only_where_its_provider_says_so() -> None:
    assert AIToolCall("c1", "lookup", {"_result": "x"}).served is None
    served = AIToolCall("c1", "lookup", {}, ServedCall({"found": 3}))
    assert served.served == ServedCall({"found": 3}, is_error=False)
