"""Tokens of an OpenID Connect provider, against a local one: its keys, and nobody else's."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import anyio
import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from tests.console.serving import WITHIN_S, served
from voice_hitl.console.authentication import AnyOf, NotAuthenticated
from voice_hitl.console.oidc import OIDCTokens
from voice_hitl.console.signed_tokens import SignedTokens

pytestmark = pytest.mark.anyio

CONSOLE = "the-console"
KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65_537, key_size=2048)


def published(kid: str, key: rsa.RSAPrivateKey) -> dict[str, object]:
    jwk: dict[str, object] = json.loads(RSAAlgorithm.to_jwk(key.public_key()))
    return jwk | {"kid": kid, "alg": "RS256", "use": "sig"}


@dataclass
class Provider:
    """A provider of identities on this machine."""

    issuer: str = ""
    keys: list[dict[str, object]] = field(default_factory=lambda: [published("k1", KEY)])
    asked: int = 0
    is_down: bool = False
    answers: anyio.Event | None = None
    """When it answers a question for its keys; at once without it."""
    was_asked: anyio.Event = field(default_factory=anyio.Event)

    def token(
        self,
        *,
        key: rsa.RSAPrivateKey | str = KEY,
        kid: str = "k1",
        algorithm: str = "RS256",
        lasts: timedelta = timedelta(minutes=5),
        **claims: object,
    ) -> str:
        now = datetime.now(UTC)
        known: dict[str, object] = {"iss": self.issuer, "aud": CONSOLE, "sub": "ann", "roles": ["supervisors"]}
        return jwt.encode(known | {"iat": now, "exp": now + lasts} | claims, key, algorithm, headers={"kid": kid})

    async def discovery(self, _request: Request) -> JSONResponse:
        return JSONResponse({"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"})

    async def jwks(self, _request: Request) -> JSONResponse:
        self.asked += 1
        if self.answers is not None:
            self.was_asked.set()
            await self.answers.wait()
        return JSONResponse({"keys": self.keys}, status_code=503 if self.is_down else 200)


@asynccontextmanager
async def provider() -> AsyncGenerator[Provider]:
    made = Provider()
    routes = [Route("/.well-known/openid-configuration", made.discovery), Route("/keys", made.jwks)]
    async with served(Starlette(routes=routes)) as url:
        made.issuer = url
        yield made


async def test_a_token_of_the_provider_says_who_it_is_and_what_they_are() -> None:
    async with provider() as idp:
        tokens = OIDCTokens(idp.issuer, CONSOLE)
        for _ in range(2):
            ann = await tokens.authenticate(idp.token())
            assert ann.user == "ann"
            assert ann.roles == {"supervisors"}
        assert idp.asked == 1


async def test_roles_and_names_are_read_where_the_provider_puts_them() -> None:
    async with provider() as idp:
        nested = OIDCTokens(idp.issuer, CONSOLE, roles_claim="realm_access.roles", user_claim="email")
        who = await nested.authenticate(idp.token(realm_access={"roles": ["sales"]}, email="ann@example.com"))
        assert who.user == "ann@example.com"
        assert who.roles == {"sales"}
        scopes = OIDCTokens(idp.issuer, CONSOLE, roles_claim="scope")
        assert (await scopes.authenticate(idp.token(scope="sales supervisors"))).roles == {"sales", "supervisors"}
        assert (await scopes.authenticate(idp.token())).roles == set()
        assert (await nested.authenticate(idp.token(realm_access="sales", email="ann@example.com"))).roles == set()


WRONG: dict[str, Callable[[Provider], str]] = {
    "no token": lambda _idp: "nonsense",
    "signed by somebody else": lambda idp: idp.token(key=OTHER),
    "under a key that there is not": lambda idp: idp.token(kid="k9"),
    "expired": lambda idp: idp.token(lasts=timedelta(minutes=-5)),
    "for another console": lambda idp: idp.token(aud="another"),
    "of another issuer": lambda idp: idp.token(iss="https://id.example"),
    "signed with the public key as a secret": lambda idp: idp.token(key=str(idp.keys[0]["n"]), algorithm="HS256"),
    "not signed": lambda idp: idp.token(key="", algorithm="none"),
    "signed in another way than its key": lambda idp: idp.token(algorithm="PS256"),
    "of nobody": lambda idp: idp.token(sub=""),
    "with roles that are none": lambda idp: idp.token(roles={"supervisors": True}),
}


@pytest.mark.parametrize("made", WRONG.values(), ids=WRONG)
async def test_what_is_not_the_providers_own_is_refused(made: Callable[[Provider], str]) -> None:
    async with provider() as idp:
        with pytest.raises(NotAuthenticated):
            await OIDCTokens(idp.issuer, CONSOLE).authenticate(made(idp))


async def test_a_new_key_is_asked_for_but_not_for_every_name_that_somebody_makes_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1_000.0
    monkeypatch.setattr("voice_hitl.console.oidc.current_time", lambda: now)
    async with provider() as idp:
        tokens = OIDCTokens(idp.issuer, CONSOLE)
        await tokens.authenticate(idp.token())
        idp.keys.append(published("k2", OTHER))
        for _ in range(3):
            with pytest.raises(NotAuthenticated):
                await tokens.authenticate(idp.token(key=OTHER, kid="k2"))
        assert idp.asked == 1
        now += 31
        await tokens.authenticate(idp.token())
        assert idp.asked == 1
        assert (await tokens.authenticate(idp.token(key=OTHER, kid="k2"))).user == "ann"
        assert idp.asked == 2


async def test_nobody_whose_key_is_known_waits_while_another_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr("voice_hitl.console.oidc.current_time", lambda: now)
    async with provider() as idp:
        tokens = OIDCTokens(idp.issuer, CONSOLE)
        await tokens.authenticate(idp.token())
        now += 31
        idp.answers = anyio.Event()
        refused: list[str] = []

        async def make_up(kid: str) -> None:
            with pytest.raises(NotAuthenticated):
                await tokens.authenticate(idp.token(kid=kid))
            refused.append(kid)

        with anyio.fail_after(WITHIN_S):
            async with anyio.create_task_group() as strangers:
                for kid in ("k7", "k8", "k9"):
                    strangers.start_soon(make_up, kid)
                await idp.was_asked.wait()
                assert (await tokens.authenticate(idp.token())).user == "ann"
                assert refused == []
                idp.answers.set()
        assert sorted(refused) == ["k7", "k8", "k9"]
        assert idp.asked == 2


async def test_whoever_is_first_together_waits_for_the_same_keys() -> None:
    async with provider() as idp:
        tokens, known = OIDCTokens(idp.issuer, CONSOLE), list[str]()
        idp.answers = anyio.Event()

        async def sign_in(name: str) -> None:
            known.append((await tokens.authenticate(idp.token(sub=name))).user)

        with anyio.fail_after(WITHIN_S):
            async with anyio.create_task_group() as people:
                people.start_soon(sign_in, "ann")
                await idp.was_asked.wait()
                people.start_soon(sign_in, "bob")
                await anyio.wait_all_tasks_blocked()
                idp.answers.set()
        assert sorted(known) == ["ann", "bob"]
        assert idp.asked == 1


async def test_a_token_that_names_no_key_has_none_asked_for() -> None:
    async with provider() as idp:
        tokens = OIDCTokens(idp.issuer, CONSOLE)
        with pytest.raises(NotAuthenticated):
            await tokens.authenticate(jwt.encode({"sub": "ann"}, KEY, "RS256"))
        assert idp.asked == 0


async def test_a_provider_that_is_down_keeps_the_keys_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr("voice_hitl.console.oidc.current_time", lambda: now)
    async with provider() as idp:
        tokens = OIDCTokens(idp.issuer, CONSOLE)
        await tokens.authenticate(idp.token())
        idp.is_down = True
        now += 3_601
        assert (await tokens.authenticate(idp.token())).user == "ann"
        assert idp.asked == 2


@pytest.mark.parametrize(
    "document",
    [
        {"issuer": "https://id.example", "jwks_uri": "http://id.example/keys"},
        {"issuer": "https://id.example", "jwks_uri": 4711},
        {"issuer": "https://another.example", "jwks_uri": "https://id.example/keys"},
        ["https://id.example/keys"],
    ],
)
async def test_keys_are_asked_for_only_where_the_providers_own_document_has_a_safe_address(document: object) -> None:
    asked: list[str] = []

    def discovery(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(200, json=document)

    tokens = OIDCTokens(
        "https://id.example",
        CONSOLE,
        client=lambda: httpx.AsyncClient(transport=httpx.MockTransport(discovery)),
    )
    with pytest.raises(NotAuthenticated):
        await tokens.authenticate(Provider("https://id.example").token())
    assert asked == ["/.well-known/openid-configuration"]


async def test_either_kind_of_token_may_sign_in() -> None:
    own = SignedTokens("a secret of a console that is long enough")
    async with provider() as idp:
        either = AnyOf([own, OIDCTokens(idp.issuer, CONSOLE)])
        assert (await either.authenticate(own.issue("bob", ["sales"]))).user == "bob"
        with pytest.raises(NotAuthenticated, match="has expired"):  # what the first has against it
            await either.authenticate(own.issue("bob", ["sales"], lasts=timedelta(seconds=-1)))
        assert (await either.authenticate(idp.token())).user == "ann"


@pytest.mark.parametrize(
    ("issuer", "jwks_uri"),
    [("http://id.example", None), ("ftp://localhost", None), ("https://id.example", "http://id.example/keys")],
)
def test_a_provider_is_reached_safely_or_on_this_machine(issuer: str, jwks_uri: str | None) -> None:
    OIDCTokens("http://localhost:8080", CONSOLE, jwks_uri="http://127.0.0.1:8080/keys")
    with pytest.raises(ValueError, match="no https address"):
        OIDCTokens(issuer, CONSOLE, jwks_uri=jwks_uri)
