"""`SignedTokens`: tokens that `voice-hitl token` makes, signed with a secret that the console knows (HS256)."""

import secrets
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import jwt
from pydantic import BaseModel, Field, ValidationError

from voice_hitl.console.authentication import NotAuthenticated, Operator

ISSUER: Final = "voice-hitl"
AUDIENCE: Final = "voice-hitl-console"
SHORTEST_SECRET: Final = 32
"""Bytes: as long as what HMAC-SHA256 makes of it (RFC 7518, 3.2)."""

LASTS: Final = timedelta(hours=12)


class SignedTokens:
    """Makes and knows signed tokens.

    Args:
        secret: What they are signed with: at least 32 bytes, the same in every process.

    Raises:
        ValueError: The secret is too short.
    """

    def __init__(self, secret: str) -> None:
        if len(secret.encode()) < SHORTEST_SECRET:
            raise ValueError(
                f"the secret has to be at least {SHORTEST_SECRET} bytes long: "
                "make one with `python -c 'import secrets; print(secrets.token_urlsafe(32))'`"
            )
        self._secret = secret

    def issue(self, user: str, roles: Collection[str] = (), *, lasts: timedelta = LASTS) -> str:
        """Make a token for somebody."""
        now = datetime.now(UTC)
        claims: dict[str, object] = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": user,
            "roles": sorted(set(roles)),
            "iat": now,
            "exp": now + lasts,
            "jti": secrets.token_urlsafe(12),
        }
        return jwt.encode(claims, self._secret, algorithm="HS256")

    async def authenticate(self, token: str) -> Operator:
        """Return whose token it is; see `Authenticator`."""
        try:
            claims = jwt.decode(
                token,
                self._secret,
                algorithms=["HS256"],
                audience=AUDIENCE,
                issuer=ISSUER,
                options={"require": ["exp", "iat", "sub", "jti"]},
            )
        except jwt.ExpiredSignatureError:
            raise NotAuthenticated("the token has expired") from None
        except jwt.InvalidTokenError:
            raise NotAuthenticated("the token is not valid") from None
        return operator_of(claims, roles=claims.get("roles"))


class _Claims(BaseModel):
    sub: Annotated[str, Field(min_length=1, max_length=256)]
    exp: datetime
    roles: frozenset[Annotated[str, Field(min_length=1, max_length=256)]] = frozenset()
    jti: Annotated[str, Field(min_length=1, max_length=512)]


def operator_of(claims: Mapping[str, object], *, roles: object, user_claim: str = "sub") -> Operator:
    """Read whose token it is from claims whose signature is good.

    Raises:
        NotAuthenticated: They name nobody.
    """
    given = roles if roles is not None else ()
    try:
        read = _Claims.model_validate({**claims, "sub": claims.get(user_claim), "roles": given})
    except ValidationError:
        raise NotAuthenticated("the token names nobody") from None
    return Operator(read.sub, read.roles, read.jti, read.exp)
