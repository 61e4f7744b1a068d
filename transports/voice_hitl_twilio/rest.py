"""What is done to a call over Twilio's REST API: hanging up, and handing it to somebody else."""

from xml.sax.saxutils import escape

import httpx

API = "https://api.twilio.com"
TIMEOUT_S = 10.0


class TwilioRest:
    """A client for one account.

    Args:
        account_sid: The account.
        auth_token: Its token; goes into the request's authorisation only.
        base_url: Where the API is.
    """

    def __init__(self, account_sid: str, auth_token: str, *, base_url: str = API) -> None:
        self._account_sid = account_sid
        self._auth = httpx.BasicAuth(account_sid, auth_token)
        self._base_url = base_url

    async def hang_up(self, call_sid: str) -> None:
        """End the call; `ConnectionError` says what Twilio said where it did not."""
        await self._change(call_sid, {"Status": "completed"})

    async def transfer(self, call_sid: str, target: str) -> None:
        """Connect the caller to a number or a SIP address instead; the stream ends by it."""
        dial = f"<Sip>{escape(target)}</Sip>" if target.startswith("sip:") else escape(target)
        await self._change(call_sid, {"Twiml": f"<Response><Dial>{dial}</Dial></Response>"})

    async def _change(self, call_sid: str, fields: dict[str, str]) -> None:
        path = f"/2010-04-01/Accounts/{self._account_sid}/Calls/{call_sid}.json"
        async with httpx.AsyncClient(base_url=self._base_url, auth=self._auth, timeout=TIMEOUT_S) as client:
            try:
                answer = await client.post(path, data=fields)
            except httpx.HTTPError as error:
                raise ConnectionError(f"Twilio could not be reached: {type(error).__name__}") from error
        if answer.is_error:
            raise ConnectionError(f"Twilio refused to change the call: {answer.status_code}")
