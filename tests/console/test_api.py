"""The API over the real app: what is open, who may answer, what each status says."""

import anyio
import httpx
import pytest

from tests.console.office import ANN, BOB, EVE, Office, bearer, office
from voice_hitl import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.console.operators import Limits
from voice_hitl.enums import PendingInputStatus, RequestEnd, Via

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

REFUND = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
YES = {"action": "answer", "value": True}


async def answer(made: Office, request_id: str, wire: object, who: dict[str, str], key: str = "") -> httpx.Response:
    headers = who | ({"idempotency-key": key} if key else {})
    return await made.http.post(f"/requests/{request_id}/answer", json=wire, headers=headers)


async def test_what_is_open_is_shown_with_who_asks_for_whom_and_how_long() -> None:
    async with office() as made:
        pending = await made.ask(Confirm(prompt="Pay it back?", details={"amount": 40}))
        (shown,) = (await made.http.get("/requests", headers=ANN)).json()["requests"]
        assert shown["id"] == pending.pending_id
        assert (shown["channel"], shown["room"], shown["session"], shown["actor"]) == ("desk", "front", "s1", "ada")
        assert shown["question"]["details"] == {"amount": 40}
        assert shown["asked_of"] == ["supervisors"]
        assert shown["created_at"] < shown["expires_at"]
        assert "outcome" not in shown


async def test_an_answer_settles_the_request_and_its_row_says_who_and_how() -> None:
    async with office() as made:
        pending = await made.ask()
        assert (await answer(made, pending.pending_id, YES, ANN)).json() == {"accepted": True}
        assert (pending.end, pending.answered_by, pending.answered_via) == (RequestEnd.ANSWERED, "ann", Via.CONSOLE)
        await made.settle_down()
        assert (await made.http.get("/requests", headers=ANN)).json()["requests"] == []
        (settled,) = (await made.http.get("/history", headers=BOB)).json()["requests"]
        assert (settled["outcome"]["end"], settled["outcome"]["by"]) == ("answered", "ann")


ANSWERS: list[tuple[Question, object, PendingInputStatus]] = [
    (Confirm(prompt="Sure?"), YES, PendingInputStatus.RESOLVED),
    (
        Choice(prompt="Where?", options=(Option(label="Inside"), Option(label="Terrace", id="t"))),
        {"action": "select", "value": "t"},
        PendingInputStatus.RESOLVED,
    ),
    (Number(prompt="How much?", maximum=50), {"action": "submit", "value": 40}, PendingInputStatus.RESOLVED),
    (Text(prompt="Why?"), {"action": "submit", "value": "Broken."}, PendingInputStatus.RESOLVED),
    (
        Form(questions=(Choice(prompt="Which?", options=(Option(label="A"), Option(label="B"))),)),
        {"action": "answer", "answers": {"Which?": "B"}},
        PendingInputStatus.RESOLVED,
    ),
    (
        Approval(tool="refund", arguments={"amount": 40}, digest="d", allow_edits=True, parameters=REFUND),
        {"action": "approve", "edited_arguments": {"amount": 30}},
        PendingInputStatus.RESOLVED,
    ),
    (Text(prompt="Why?"), {"action": "decline", "reason": "not mine"}, PendingInputStatus.REJECTED),
]


@pytest.mark.parametrize(("question", "wire", "status"), ANSWERS)
async def test_every_kind_of_question_can_be_answered(
    question: Question, wire: object, status: PendingInputStatus
) -> None:
    async with office() as made:
        pending = await made.ask(question)
        assert (await answer(made, pending.pending_id, wire, ANN)).status_code == 200
        assert pending.status is status


async def test_a_reject_is_a_refusal_of_whatever_kind_is_asked() -> None:
    async with office() as made:
        for question in (Approval(tool="refund", arguments={}, digest="d"), Text(prompt="Why?")):
            pending = await made.ask(question)
            path = f"/requests/{pending.pending_id}/reject"
            assert (await made.http.post(path, json={"reason": "too much"}, headers=ANN)).status_code == 200
            assert (pending.end, pending.reject_reason) == (RequestEnd.REFUSED, "too much")


async def test_the_second_answer_is_told_how_the_first_one_ended() -> None:
    async with office() as made:
        pending = await made.ask()
        await answer(made, pending.pending_id, YES, ANN)
        for _ in range(2):  # at once, and when its row has settled
            second = await answer(made, pending.pending_id, {"action": "answer", "value": False}, BOB)
            assert second.status_code == 409
            told = second.json()
            assert (told["error"], told["outcome"]["by"], told["outcome"]["via"]) == ("duplicate", "ann", "console")
            await made.settle_down()


async def test_an_answer_that_comes_late_is_told_so() -> None:
    async with office() as made:
        pending = await made.ask()
        made.handler.release(pending.pending_id)
        await made.settle_down()
        late = await answer(made, pending.pending_id, YES, ANN)
        assert (late.status_code, late.json()["error"], late.json()["outcome"]["end"]) == (409, "late", "withdrawn")
        (row,) = (await made.http.get("/history", headers=ANN)).json()["requests"]
        assert late.json()["outcome"] == row["outcome"]


async def test_the_same_key_again_gets_the_same_verdict() -> None:
    async with office() as made:
        pending = await made.ask()
        for _ in range(2):
            assert (await answer(made, pending.pending_id, YES, ANN, key="k1")).status_code == 200
            await made.settle_down()
        assert (await answer(made, pending.pending_id, YES, ANN, key="k2")).status_code == 409
        assert (await answer(made, pending.pending_id, YES, BOB, key="k1")).status_code == 409


async def test_what_does_not_answer_the_question_is_refused_with_why_and_the_request_stays_open() -> None:
    async with office() as made:
        pending = await made.ask(Number(prompt="How much?", maximum=50))
        for wire, why in (
            ({"action": "submit", "value": 51}, "it must be at most 50"),
            ({"action": "approve"}, "the action must be submit or decline"),
            ("yes", "Input should be a valid dictionary"),
        ):
            refused = await answer(made, pending.pending_id, wire, ANN)
            assert (refused.status_code, refused.json()["why"], "outcome" in refused.json()) == (422, why, False)
        assert pending.end is None


async def test_a_body_that_is_none_is_refused_with_where_and_without_what_was_sent() -> None:
    async with office() as made:
        path = f"/requests/{(await made.ask()).pending_id}/reject"
        for body, why in (
            ({"reason": 4711}, "reason: Input should be a valid string"),
            ({"4711": "no"}, "Extra inputs are not permitted"),
        ):
            refused = await made.http.post(path, json=body, headers=ANN)
            assert (refused.status_code, refused.json()["error"], refused.json()["why"]) == (422, "malformed", why)
        refused = await made.http.post(path, content=b"[NaN]", headers=ANN)
        assert (refused.status_code, refused.json()["why"]) == (422, "the body is not JSON")


async def test_why_an_answer_to_a_confidential_question_is_wrong_does_not_quote_it() -> None:
    async with office() as made:
        pending = await made.ask(Number(prompt="PIN?", digits=4, sensitive=True))
        refused = await answer(made, pending.pending_id, {"action": "submit", "value": "12345"}, ANN)
        assert (refused.status_code, refused.json()["why"]) == (422, "that does not answer the question")
        await answer(made, pending.pending_id, {"action": "submit", "value": "1234"}, ANN)
        await made.settle_down()
        assert "1234" not in (await made.http.get("/history", headers=ANN)).text


async def test_who_is_not_in_the_audience_is_neither_shown_a_request_nor_let_answer_it() -> None:
    async with office() as made:
        pending = await made.ask()
        one = f"/requests/{pending.pending_id}"
        assert (await made.http.get("/requests", headers=EVE)).json()["requests"] == []
        assert (await made.http.get(one, headers=EVE)).status_code == 403
        assert "Pay it back" not in (await made.http.get(one, headers=EVE)).text
        for what in ("answer", "reject", "take", "release"):
            assert (await made.http.post(f"{one}/{what}", json=YES, headers=EVE)).status_code == 403
        assert (await made.http.get("/requests/unheard-of", headers=ANN)).status_code == 404
        assert pending.end is None


async def test_a_request_for_anybody_is_shown_to_the_role_that_it_was_put_to() -> None:
    async with office() as made:
        pending = await made.ask(audience=())
        assert (await made.http.get(f"/requests/{pending.pending_id}", headers=EVE)).status_code == 403
        assert (await answer(made, pending.pending_id, YES, ANN)).status_code == 200


async def test_what_is_open_and_what_was_is_found_by_channel_room_and_kind() -> None:
    async with office() as made:
        first = await made.ask(Text(prompt="Why?"), room="front")
        second = await made.ask(Confirm(prompt="Sure?"), room="back", channel="phone")
        for path in ("/requests", "/history"):
            for query, found in (
                ({"room": "front"}, [first]),
                ({"channel": "phone"}, [second]),
                ({"kind": "input"}, [first]),
                ({"room": "front", "kind": "question"}, []),
            ):
                listed = (await made.http.get(path, params=query, headers=ANN)).json()["requests"]
                assert [each["id"] for each in listed] == [each.pending_id for each in found], query
            assert (await made.http.get(path, params={"kind": "riddle"}, headers=ANN)).status_code == 422
            for pending in (first, second):
                made.handler.release(pending.pending_id)
            await made.settle_down()


async def test_taking_shows_others_who_handles_a_request_and_stops_nobody() -> None:
    async with office() as made:
        pending = await made.ask()
        one = f"/requests/{pending.pending_id}"
        assert (await made.http.post(f"{one}/take", headers=ANN)).json() == {"by": "ann"}
        assert (await made.http.get(one, headers=BOB)).json()["taken"]["by"] == "ann"
        theirs = await made.http.post(f"{one}/take", headers=BOB)
        assert (theirs.status_code, theirs.json()["taken"]["by"]) == (409, "ann")
        assert (await made.http.post(f"{one}/release", headers=BOB)).status_code == 409
        assert (await made.http.post(f"{one}/release", headers=ANN)).status_code == 204
        assert "taken" not in (await made.http.get(one, headers=BOB)).json()
        await made.http.post(f"{one}/take", headers=ANN)
        assert (await answer(made, pending.pending_id, YES, BOB)).status_code == 200


async def test_what_is_taken_is_let_go_after_a_minute_without_a_sign_of_life() -> None:
    async with office() as made:
        pending = await made.ask(timeout=600)
        one = f"/requests/{pending.pending_id}"
        await made.http.post(f"{one}/take", headers=ANN)
        await anyio.sleep(59)
        await made.http.post(f"{one}/take", headers=ANN)
        await anyio.sleep(59)
        assert (await made.http.get(one, headers=BOB)).json()["taken"]["by"] == "ann"
        await anyio.sleep(2)
        assert "taken" not in (await made.http.get(one, headers=BOB)).json()


async def test_history_is_read_page_by_page_the_newest_first() -> None:
    async with office() as made:
        asked = [await made.ask(Text(prompt=f"Question {number}?")) for number in range(4)]
        for pending in asked:
            made.handler.reject(pending.pending_id)
            await made.settle_down()
        fourth, third, second, first = (pending.pending_id for pending in reversed(asked))
        for before, shown, more in (({}, [fourth, third], True), ({"before": third}, [second, first], False)):
            page = (await made.http.get("/history", params={"limit": 2, **before}, headers=ANN)).json()
            assert ([each["id"] for each in page["requests"]], page["more"]) == (shown, more)
        assert (await made.http.get("/history", headers=EVE)).json()["requests"] == []


async def test_too_often_is_too_often_for_that_operator_only() -> None:
    async with office(limits=Limits(requests=(3, 0.1))) as made:
        for _ in range(3):
            assert (await made.http.get("/me", headers=ANN)).status_code == 200
        refused = await made.http.get("/me", headers=ANN)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "11")
        assert (await made.http.get("/me", headers=BOB)).status_code == 200
        await anyio.sleep(11)
        assert (await made.http.get("/me", headers=ANN)).status_code == 200


async def test_a_body_that_is_too_long_is_not_read() -> None:
    async with office() as made:
        pending = await made.ask()
        long = await answer(made, pending.pending_id, {"action": "x" * 300_000}, ANN)
        assert (long.status_code, long.json()["error"]) == (413, "too_large")


async def test_me_says_who_i_am_and_how_many_watch() -> None:
    async with office() as made:
        me = (await made.http.get("/me", headers=bearer("ann", "supervisors", "caller"))).json()
        assert (me["user"], me["roles"], me["watching"]) == ("ann", ["supervisors"], {"supervisors": 1})


async def test_where_nobody_watches_the_request_is_given_up_at_once() -> None:
    async with office(watched=()) as made:
        pending = await made.ask()
        assert pending.end is RequestEnd.UNANSWERED
