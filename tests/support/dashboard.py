"""A person's browser at `functions/dashboard`, as API Gateway hands its requests over."""

import base64
import html
import json
import re
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from admin.app import handler as admin
from dashboard.app import handler as dashboard
from local.machine.events import Context
from local.template import ROOT

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/dashboard.json").read_text())
CONTEXT: Any = Context("DashboardFunction")
HOST: str = EVENT["headers"]["Host"]
STAGE = "/live"
ORIGIN = f"https://{HOST}"
COOKIE = "tollgate_session"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; header names are lower case, `cookie` is the session's whole Set-Cookie line."""

    status: int
    text: str
    headers: dict[str, str]
    cookie: str | None

    def attribute(self, name: str) -> str:
        """Return the value of the first attribute of this name."""
        found = re.search(rf"""\b{name}=(?:"([^"]*)"|'([^']*)')""", self.text)
        assert found is not None, f"no {name} in: {self.text}"
        return html.unescape(found[1] or found[2])


@dataclass
class Browser:
    """Keeps the session's cookie and the page's token, as a browser does; `base` is where its pages are."""

    session: str | None = None
    csrf: str = ""
    base: str = "/dashboard"

    def at(self, base: str) -> "Browser":
        """Return the same person at other pages."""
        return Browser(self.session, self.csrf, base)

    def get(self, path: str, *, part: bool = False) -> Answer:
        """Open a page below `/dashboard`; as a part of one, htmx asks."""
        answer = self.send("GET", path, {"hx-request": "true"} if part else {})
        if 'hx-headers="' in answer.text or "hx-headers='" in answer.text:
            self.csrf = json.loads(answer.attribute("hx-headers"))["x-csrf-token"]
        return answer

    def post(self, path: str, fields: Any = (), **headers: str) -> Answer:
        """Send a form as htmx does; `headers` (with _ for -) take the place of the browser's own."""
        sent = {
            "origin": ORIGIN,
            "hx-request": "true",
            "x-csrf-token": self.csrf,
            "content-type": "application/x-www-form-urlencoded",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        kept = {name: value for name, value in sent.items() if value}
        return self.send("POST", path, kept, urlencode(fields, doseq=True))

    def sign_in(self, email: str = "ada@example.com") -> str:
        """Sign in by e-mail; give the account's id."""
        self.get("/sign-in")
        answer = self.post("/sign-in/development/email", {"email": email})
        assert answer.headers["hx-redirect"].startswith(f"{STAGE}/dashboard"), answer.text
        overview = self.get("")
        assert overview.status == 200, overview.text
        found = re.search(r"usr_[0-9A-Z]{26}", overview.text)
        assert found is not None
        return found[0]

    def send(self, method: str, path: str, headers: dict[str, str], body: str | None = None) -> Answer:
        """Send any request."""
        handler = admin if self.base == "/admin" else dashboard
        answer = handler(self._event(method, path, headers, body), CONTEXT)
        encoded = answer.get("isBase64Encoded")
        text = base64.b64decode(answer["body"]).decode() if encoded else answer["body"]
        found = {name.lower(): value for name, value in answer.get("headers", {}).items()}
        many = {name.lower(): values for name, values in answer.get("multiValueHeaders", {}).items()}
        cookies = [found.get("set-cookie", ""), *many.get("set-cookie", [])]
        cookie = next((line for line in cookies if line.startswith(f"{COOKIE}=")), None)
        if cookie is not None:
            self.session = cookie.split(";")[0].removeprefix(f"{COOKIE}=")
        return Answer(
            answer["statusCode"], text, {name: values[0] for name, values in many.items()} | found, cookie
        )

    def _event(self, method: str, path: str, headers: dict[str, str], body: str | None) -> dict[str, Any]:
        path, _, query = path.partition("?")
        event = deepcopy(EVENT)
        sent = {**event["headers"], **headers}
        if self.session is not None:
            sent["cookie"] = f"{COOKIE}={self.session}"
        values: dict[str, list[str]] = {}
        for name, value in parse_qsl(query, keep_blank_values=True):
            values.setdefault(name, []).append(value)
        event |= {
            "httpMethod": method,
            "path": f"{self.base}{path}",
            "headers": sent,
            "multiValueHeaders": {name: [value] for name, value in sent.items()},
            "queryStringParameters": {name: one[-1] for name, one in values.items()} or None,
            "multiValueQueryStringParameters": values or None,
            "body": body,
        }
        event["requestContext"]["path"] = f"{STAGE}{self.base}{path}"
        return event
