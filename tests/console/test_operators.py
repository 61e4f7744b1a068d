"""Who gets in: a wrong, expired, replayed or foreign token gets nothing, and no other site's page does anything."""

from collections.abc import Callable
from datetime import timedelta

import httpx
import jwt
import pytest
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from tests.console.office import ANN, ORIGIN, SECRET, TOKENS, bearer, office
from voice_hitl.askers.desk import Desk
from voice_hitl.console.app import Console
from voice_hitl.console.clock import utc_now
from voice_hitl.console.operators import COOKIE, Limits, Operators
from voice_hitl.console.signed_tokens import SignedTokens

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("virtual_time")]

PATHS = ("/me", "/requests", "/requests/any", "/events", "/history")
SAME_ORIGIN = {"origin": ORIGIN}


def forged(change: Callable[[dict[str, object]], object], *, secret: str = SECRET, algorithm: str = "HS256") -> str:
    claims: dict[str, object] = jwt.decode(TOKENS.issue("ann", ["supervisors"]), options={"verify_signature": False})
    change(claims)
    return jwt.encode(claims, secret if algorithm != "none" else "", algorithm=algorithm)


WRONG = {
    "nothing": "",
    "nonsense": "nonsense",
    "signed by somebody else": SignedTokens("x" * 32).issue("ann", ["supervisors"]),
    "expired": TOKENS.issue("ann", ["supervisors"], lasts=timedelta(seconds=-1)),
    "not signed": forged(lambda _claims: None, algorithm="none"),
    "signed otherwise": forged(lambda _claims: None, algorithm="HS512"),
    "for somebody else": forged(lambda claims: claims.update(aud="another")),
    "of another issuer": forged(lambda claims: claims.update(iss="another")),
    "without an end": forged(lambda claims: claims.pop("exp")),
    "of nobody": forged(lambda claims: claims.update(sub="")),
    "without a name of its own": forged(lambda claims: claims.pop("jti")),
    "with no roles but a text": forged(lambda claims: claims.update(roles="supervisors")),
}


@pytest.mark.parametrize("token", WRONG.values(), ids=WRONG)
async def test_a_token_that_is_not_valid_gets_nothing(token: str) -> None:
    async with office() as made:
        pending = await made.ask()
        headers = {"authorization": f"Bearer {token}"}
        for path in (*PATHS, f"/requests/{pending.pending_id}"):
            refused = await made.http.get(path, headers=headers)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
            assert "Pay it back" not in refused.text
        yes = {"action": "answer", "value": True}
        assert (await made.http.post(f"/requests/{pending.pending_id}/answer", json=yes)).status_code == 401
        assert (await made.http.post("/session", json={"token": token}, headers=SAME_ORIGIN)).status_code in (401, 422)
        assert COOKIE not in made.http.cookies
        assert pending.end is None


async def test_a_token_in_an_address_is_worth_nothing() -> None:
    """Addresses are logged, kept in histories and sent on as referrers."""
    async with office() as made:
        pending = await made.ask()
        token = TOKENS.issue("ann", ["supervisors"])
        for path in (*PATHS, f"/requests/{pending.pending_id}"):
            for name in ("token", "access_token", "authorization"):
                assert (await made.http.get(path, params={name: token})).status_code == 401


async def test_a_browser_exchanges_its_token_for_a_cookie_that_no_script_and_no_other_site_can_use() -> None:
    async with office() as made:
        signed_in = await made.http.post("/session", json={"token": TOKENS.issue("ann", ["supervisors"])})
        assert signed_in.status_code == 204
        cookie = signed_in.headers["set-cookie"].lower()
        assert {"httponly", "samesite=strict", "path=/"} <= {part.strip() for part in cookie.split(";")}
        assert (await made.http.get("/me")).json()["user"] == "ann"
        assert (await made.http.delete("/session", headers=SAME_ORIGIN)).status_code == 204
        assert COOKIE not in made.http.cookies


async def test_a_token_that_was_exchanged_is_worth_nothing_to_whoever_finds_it() -> None:
    async with office() as made:
        token = TOKENS.issue("ann", ["supervisors"])
        await made.http.post("/session", json={"token": token})
        made.http.cookies.clear()
        again = await made.http.post("/session", json={"token": token})
        assert (again.status_code, again.json()["error"]) == (401, "unauthorized")
        assert (await made.http.get("/me", headers={"authorization": f"Bearer {token}"})).status_code == 401


async def test_a_cookie_is_worth_nothing_after_its_sign_out() -> None:
    async with office() as made:
        await made.http.post("/session", json={"token": TOKENS.issue("ann", ["supervisors"])})
        session = made.http.cookies[COOKIE]
        await made.http.delete("/session")
        made.http.cookies.set(COOKIE, session)
        assert (await made.http.get("/me")).status_code == 401


async def test_another_sites_page_does_nothing_with_an_operators_cookie() -> None:
    async with office() as made:
        pending = await made.ask()
        await made.http.post("/session", json={"token": TOKENS.issue("ann", ["supervisors"])})
        yes = {"action": "answer", "value": True}
        for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
            foreign = await made.http.post(f"/requests/{pending.pending_id}/answer", json=yes, headers=headers)
            assert (foreign.status_code, foreign.json()["error"]) == (403, "foreign")
        assert pending.end is None
        own = await made.http.post(f"/requests/{pending.pending_id}/answer", json=yes, headers=SAME_ORIGIN)
        assert own.status_code == 200


async def test_a_page_of_another_origin_that_was_named_may_use_it() -> None:
    async with office(origins=["https://desk.example.com"]) as made:
        pending = await made.ask()
        headers = {"origin": "https://desk.example.com", **ANN}
        taken = await made.http.post(f"/requests/{pending.pending_id}/take", headers=headers)
        assert taken.status_code == 200


async def test_a_link_in_a_mail_opens_the_page() -> None:
    async with office() as made:
        assert (await made.http.get("/", headers={"sec-fetch-site": "cross-site"})).status_code == 200


async def test_whoever_signs_in_where_that_is_not_needed_is_who_they_are() -> None:
    console = Console(TOKENS, anonymous=["supervisors"], desk=Desk())
    transport = httpx.ASGITransport(app=console.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8485") as http:
        assert (await http.get("/me")).json()["user"] == "operator"
        await http.post("/session", json={"token": TOKENS.issue("ann", ["sales"])})
        assert (await http.get("/me")).json()["user"] == "ann"
    await console.close()


def request_with(**headers: str) -> Request:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "headers": raw, "client": ("10.0.0.7", 4711)})


@pytest.mark.parametrize("ends", ["it expires", "it is exchanged", "nothing"])
async def test_a_program_that_reads_events_is_welcome_while_its_token_counts(
    ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    operators = Operators([TOKENS], roles={}, anonymous=None, limits=Limits())
    token = TOKENS.issue("ann", ["supervisors"], lasts=timedelta(hours=1))
    request = request_with(authorization=f"Bearer {token}", cookie=f"{COOKIE}=of-another-time")
    ann = await operators.of(request)
    assert operators.is_still(request, ann)
    if ends == "it expires":
        later = utc_now() + timedelta(hours=2)
        monkeypatch.setattr("voice_hitl.console.operators.utc_now", lambda: later)
    elif ends == "it is exchanged":
        await operators.sign_in(request, token)
    assert operators.is_still(request, ann) is (ends == "nothing")


async def test_whoever_answers_too_often_has_to_wait_and_may_look_meanwhile() -> None:
    async with office(limits=Limits(answers=(2, 0.1))) as made:
        pending = await made.ask()
        path = f"/requests/{pending.pending_id}/take"
        taken = [(await made.http.post(path, headers=ANN)).status_code for _ in range(3)]
        assert taken == [200, 200, 429]
        assert (await made.http.get("/me", headers=ANN)).status_code == 200


async def test_whoever_guesses_tokens_has_to_wait() -> None:
    async with office(limits=Limits(failures=(3, 0.1))) as made:
        wrong = {"authorization": "Bearer nonsense"}
        statuses = [(await made.http.get("/me", headers=wrong)).status_code for _ in range(5)]
        assert statuses == [401, 401, 401, 429, 429]


async def test_a_role_may_have_another_name_in_audiences_and_nobody_is_the_caller() -> None:
    desk = Desk()
    console = Console(TOKENS, desk=desk, roles={"acme-leads": ["supervisors", "caller"]})
    transport = httpx.ASGITransport(app=console.app)
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as http:
        me = (await http.get("/me", headers=bearer("ann", "acme-leads", "sales", "caller"))).json()
        assert me["roles"] == ["sales", "supervisors"]
    await console.close()


@pytest.mark.parametrize(
    ("client", "server", "host", "status"),
    [
        ("127.0.0.1", "127.0.0.1", "127.0.0.1:8485", 200),
        ("127.0.0.1", "127.0.0.1", "localhost:8485", 200),
        ("10.0.0.7", "127.0.0.1", "127.0.0.1:8485", 401),
        ("127.0.0.1", "127.0.0.1", "evil.example:8485", 401),
        ("127.0.0.1", "192.168.1.2", "localhost:8485", 401),
        ("127.0.0.1", None, "localhost:8485", 401),
        (None, "127.0.0.1", "localhost:8485", 401),
    ],
)
async def test_without_a_token_only_this_very_machine_gets_in(
    client: str | None, server: str | None, host: str, status: int
) -> None:
    console = Console(anonymous=["supervisors"], desk=Desk())
    ends = {"client": client and (client, 4711), "server": server and (server, 8485)}

    async def received(scope: Scope, receive: Receive, send: Send) -> None:
        await console.app({**scope, **ends}, receive, send)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=received), base_url=f"http://{host}") as http:
        assert (await http.get("/me")).status_code == status
    await console.close()


def test_a_console_that_nobody_could_sign_in_to_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="nobody could sign in"):
        Console(desk=Desk())


def test_a_short_secret_is_refused_with_how_to_make_a_good_one() -> None:
    with pytest.raises(ValueError, match="token_urlsafe"):
        SignedTokens("short")


async def test_every_response_tells_the_browser_to_be_careful() -> None:
    async with office() as made:
        for path, headers in (("/", {}), ("/me", {}), ("/me", ANN), ("/openapi.json", {}), ("/nowhere", {})):
            got = await made.http.get(path, headers=headers)
            assert "default-src 'none'" in got.headers["content-security-policy"]
            assert "unsafe" not in got.headers["content-security-policy"]
            assert got.headers["x-content-type-options"] == "nosniff"
            assert got.headers["cache-control"] == "no-store"
            assert got.headers["referrer-policy"] == "no-referrer"
