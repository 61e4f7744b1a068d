"""`OIDCTokens`: bearer tokens of an OpenID Connect provider, checked against the keys that it publishes (JWKS)."""

import hashlib
import logging
from collections.abc import Callable, Mapping
from typing import Final, cast
from urllib.parse import urlsplit

import anyio
import httpx
import jwt

from voice_hitl.console.authentication import NotAuthenticated, Operator
from voice_hitl.console.signed_tokens import operator_of
from voice_hitl.tasks import current_time

log = logging.getLogger(__name__)

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a public key. A shared secret, or none at all, is never one of a provider."""

KEYS_FOR_S: Final = 3_600.0
"""How long the keys of a provider are used before they are asked for again, in seconds."""

ASK_AGAIN_S: Final = 30.0
"""How soon an unknown key may have them asked for again, in seconds: anybody can make up a key's name."""

PATIENCE_S: Final = 5.0
LEEWAY_S: Final = 30


class OIDCTokens:
    """Knows the tokens of an OpenID Connect provider.

    Args:
        issuer: The provider's address, exactly as its tokens have it.
        audience: Whom the tokens have to be for: this console's client id at the provider.
        roles_claim: Where a token has the roles; `realm_access.roles` is a member of a member.
        user_claim: Which claim names the user: one that the provider makes sure of.
        jwks_uri: Where its keys are; by default its discovery document says.
        client: Asks for them; by default one made for each time.

    Raises:
        ValueError: The issuer is no https address (http is taken on this machine only).
    """

    def __init__(
        self,
        issuer: str,
        audience: str,
        *,
        roles_claim: str = "roles",
        user_claim: str = "sub",
        jwks_uri: str | None = None,
        client: Callable[[], httpx.AsyncClient] | None = None,
    ) -> None:
        for url in (issuer, *((jwks_uri,) if jwks_uri is not None else ())):
            _check_address(url)
        self._issuer = issuer
        self._audience = audience
        self._roles_claim = roles_claim
        self._user_claim = user_claim
        self._jwks_uri = jwks_uri
        self._client = client or (lambda: httpx.AsyncClient(timeout=PATIENCE_S))
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._asked_at: float | None = None
        self._asking = anyio.Lock()

    async def authenticate(self, token: str) -> Operator:
        """Return whose token it is; see `Authenticator`."""
        try:
            header = jwt.get_unverified_header(token)
            key = await self._key(header.get("kid"))
            claims = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.ExpiredSignatureError:
            raise NotAuthenticated("the token has expired") from None
        except jwt.PyJWTError:
            raise NotAuthenticated("the token is not valid") from None
        # A provider need not number its tokens; each is told by what it is.
        known_by = {"jti": f"{self._issuer} {hashlib.sha256(token.encode()).hexdigest()}"}
        return operator_of(
            {**claims, **known_by},
            roles=_roles(_member(claims, *self._roles_claim.split("."))),
            user_claim=self._user_claim,
        )

    async def _key(self, kid: object) -> jwt.PyJWK:
        if not isinstance(kid, str):
            raise NotAuthenticated("the token is not valid")
        if kid not in self._keys or self._is_to_ask(kid):
            async with self._asking:
                if self._is_to_ask(kid):
                    await self._ask()
        if kid not in self._keys:
            raise NotAuthenticated("the token is not valid")
        return self._keys[kid]

    def _is_to_ask(self, kid: str) -> bool:
        """Whether the keys were asked for too long ago. While they are, a key that is known is used as it is."""
        lasts = KEYS_FOR_S if kid in self._keys else ASK_AGAIN_S
        return self._asked_at is None or current_time() - self._asked_at > lasts

    async def _ask(self) -> None:
        """Get the keys. A provider that cannot be reached keeps those it had."""
        self._asked_at = current_time()
        try:
            async with self._client() as client:
                if self._jwks_uri is None:
                    self._jwks_uri = await self._discover(client)
                answered = (await client.get(self._jwks_uri)).raise_for_status()
                keys = jwt.PyJWKSet.from_dict(answered.json()).keys
        except (httpx.HTTPError, httpx.InvalidURL, jwt.PyJWTError, ValueError, AttributeError) as error:
            log.warning("the keys of %s could not be had: %s", self._issuer, error)
            return
        self._keys = {key.key_id: key for key in keys if key.key_id is not None and _is_public(key)}

    async def _discover(self, client: httpx.AsyncClient) -> str:
        """Ask where the keys are (OpenID Connect Discovery 1.0, 4)."""
        answered = await client.get(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        document: object = answered.raise_for_status().json()
        uri = _member(document, "jwks_uri")
        if _member(document, "issuer") != self._issuer or not isinstance(uri, str):
            raise ValueError("its discovery document is somebody else's, or names no keys")
        _check_address(uri)
        return uri


def _is_public(key: jwt.PyJWK) -> bool:
    return key.key_type in ("RSA", "EC", "OKP")


def _member(document: object, *path: str) -> object:
    for name in path:
        document = cast("Mapping[str, object]", document).get(name) if isinstance(document, dict) else None
    return document


def _roles(claim: object) -> object:
    return claim.split() if isinstance(claim, str) else claim  # a text is written as scopes are


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    local = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if parts.scheme != "https" and not (parts.scheme == "http" and local):
        raise ValueError(f"{url!r} is no https address")
