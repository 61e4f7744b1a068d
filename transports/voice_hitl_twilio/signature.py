"""Whether a request comes from Twilio: its signature over the address and the form (Twilio, "Validating Requests")."""

import base64
import hashlib
import hmac
from collections.abc import Mapping


def is_signed(auth_token: str, url: str, form: Mapping[str, str], signature: str) -> bool:
    """Whether `signature` (the header `X-Twilio-Signature`) is that of a request to `url` with this form.

    HMAC-SHA1 of the whole address as Twilio called it and of every field's name and value, by name. A WebSocket has no
    form.
    """
    signed = url + "".join(name + form[name] for name in sorted(form))
    expected = hmac.new(auth_token.encode(), signed.encode(), hashlib.sha1).digest()
    # As bytes: of two texts it takes only ASCII, and a header is whatever somebody sends.
    return hmac.compare_digest(base64.b64encode(expected), signature.encode())
