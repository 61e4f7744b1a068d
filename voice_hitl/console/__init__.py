"""The operators' console: a page and an API where people answer what agents on live calls ask (the extra `console`)."""

from voice_hitl.console.app import Console
from voice_hitl.console.authentication import Authenticator, NotAuthenticated, Operator
from voice_hitl.console.oidc import OIDCTokens
from voice_hitl.console.operators import Limits
from voice_hitl.console.signed_tokens import SignedTokens
from voice_hitl.console.webhook import Webhook, verify

__all__ = [
    "Authenticator",
    "Console",
    "Limits",
    "NotAuthenticated",
    "OIDCTokens",
    "Operator",
    "SignedTokens",
    "Webhook",
    "verify",
]
