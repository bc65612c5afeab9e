"""Exports: the webhook for each request, and the receiver of spans."""

import re
from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Fields, Sent
from dashboard.languages import gettext
from dashboard.render import home, invalid, moved_saying, page
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.kit.errors import InvalidInputError

# The forms' names of the fields.
LABELS = {
    "requestWebhook": "Address of the webhook",
    "endpoint": "Address of the receiver",
    "headers": "Headers",
    "sampleRate": "Share of the requests (0 to 1)",
    "name": "Bucket",
    "region": "Region",
    "prefix": "Folder",
    "roleArn": "Your role",
}

_NUMBER = re.compile(r"[0-9]{1,4}(\.[0-9]{1,8})?")

router = APIRouter(prefix="/exports")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the exports, and the numbers of spans."""
    return page(request, "exports.html", exports=services.api.exports.get(visitor.account_id), labels=LABELS)


@router.post("/{what}")
def change(services: Services, request: Request, visitor: SignedIn, sent: Sent, what: str) -> Response:
    """Change one export; an empty address ends it."""
    try:
        services.api.exports.change(visitor.account_id, {what: body_of(what, sent)}, None, who=visitor.name)
    except InvalidInputError as error:
        return invalid(request, error, LABELS)
    return moved_saying(request, f"{home(request)}/exports", gettext("Saved."))


def body_of(what: str, sent: Fields) -> Any:
    """Return the value of a field of the API's body, from a form."""
    values = {name: value.strip() for name, value in sent.items()}
    if what == "spans" and values.get("endpoint"):
        # The page never shows the stored headers. They stay if this text is empty.
        headers = {"headers": _headers(values["headers"])} if values.get("headers") else {}
        rate = values.get("sampleRate", "")
        return {
            "endpoint": values["endpoint"],
            "sampleRate": float(rate) if _NUMBER.fullmatch(rate) else rate,
            "includeContent": "includeContent" in values,
            **headers,
        }
    if what == "bucket" and values.get("name"):
        return {name: values.get(name, "") for name in ("name", "region", "prefix", "roleArn")}
    # An empty address or name ends the export.
    return values.get(what) or None


def _headers(text: str) -> dict[str, str]:
    """Read one header in each line, such as `authorization: Bearer …`."""
    pairs = (line.partition(":") for line in text.splitlines() if line.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}
