"""The body that changes exports, checked as a whole (site/exports.md). Pure."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from tollgate.exports.settings import BucketTarget, ExportSettings, SpanTarget
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.problems import Problem, unknown_fields
from tollgate.webhooks.receivers import url_problem

MAX_HEADERS = 10
MAX_HEADER_LENGTH = 4_096
MAX_PREFIX_LENGTH = 200
RATE_PLACES = 6
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_HEADER_VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
# Headers that belong to our request.
_OWN_HEADERS = frozenset(
    {"content-type", "content-length", "content-encoding", "host", "connection", "transfer-encoding"}
)
# Source: AWS, "General purpose bucket naming rules".
_BUCKET = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_REGION = re.compile(r"[a-z]{2,3}(-[a-z]+){1,2}-[0-9]{1,2}")
# Only roles with this name, so that our own role has no right for others.
_ROLE = re.compile(r"arn:aws[a-z-]*:iam::[0-9]{12}:role/tollgate-export[A-Za-z0-9+=,.@_-]{0,40}")
# Without the wildcards of IAM, and without `..`.
_PREFIX = re.compile(r"([A-Za-z0-9!_'()=-][A-Za-z0-9!_.'()=-]*/)*")
_A_ROLE = "arn:aws:iam::123456789012:role/tollgate-export, or a longer name that begins so"
_FIELDS = ("requestWebhook", "spans", "bucket")


def read_exports(body: Mapping[str, Any], known: ExportSettings, guard: AddressGuard) -> ExportSettings:
    """Return the settings after the changes in a body; null ends an export.

    Headers of spans stay if they are left out and the endpoint is the same. Raises `InvalidInputError` with
    every problem.
    """
    problems = unknown_fields(body, _FIELDS)
    changed = known
    if "requestWebhook" in body:
        url = body["requestWebhook"]
        problems += [] if url is None else _url_problems("/requestWebhook", url, guard)
        changed = replace(changed, webhook=url)
    if "spans" in body:
        sent = _object("/spans", body["spans"], problems)
        spans = None if sent is None else _spans(sent, known.spans, guard, problems)
        changed = replace(changed, spans=spans)
    if "bucket" in body:
        sent = _object("/bucket", body["bucket"], problems)
        changed = replace(changed, bucket=None if sent is None else _bucket(sent, problems))
    if problems:
        raise InvalidInputError(problems)
    return changed


def _object(path: str, sent: Any, problems: list[Problem]) -> Mapping[str, Any] | None:
    if sent is None or isinstance(sent, dict):
        return sent
    problems.append(Problem(path, "Must be an object or null."))
    return None


def _spans(
    sent: Mapping[str, Any], known: SpanTarget | None, guard: AddressGuard, problems: list[Problem]
) -> SpanTarget:
    problems += unknown_fields(sent, ("endpoint", "headers", "sampleRate", "includeContent"), "/spans")
    endpoint = sent.get("endpoint")
    if endpoint is None:
        problems.append(Problem("/spans/endpoint", "Required.", "https://otlp.example.com/v1/traces"))
    else:
        problems += _url_problems("/spans/endpoint", endpoint, guard)
    is_same = known is not None and known.endpoint == endpoint
    headers = sent.get("headers", known.headers if known is not None and is_same else {})
    problems += _header_problems(headers)
    rate = _rate(sent.get("sampleRate", 1))
    if rate is None:
        message = f"Must be a number with at most {RATE_PLACES} decimal places."
        problems.append(Problem("/spans/sampleRate", message, "0 to 1"))
    has_content = sent.get("includeContent", False)
    if not isinstance(has_content, bool):
        problems.append(Problem("/spans/includeContent", "Must be true or false."))
    return SpanTarget(endpoint or "", headers, rate or "1", bool(has_content))


def _rate(sent: Any) -> str | None:
    if isinstance(sent, bool) or not isinstance(sent, int | float):
        return None
    rate = Decimal(str(sent))
    is_exact = rate == rate.quantize(Decimal(1).scaleb(-RATE_PLACES)) if rate.is_finite() else False
    return f"{rate.normalize():f}" if is_exact and 0 <= rate <= 1 else None


def _header_problems(headers: Any) -> list[Problem]:
    allowed = f"an object of at most {MAX_HEADERS} names and texts"
    if not isinstance(headers, dict) or len(headers) > MAX_HEADERS:
        return [Problem("/spans/headers", f"Must be {allowed}.", allowed)]
    problems = []
    for name, value in headers.items():
        if _HEADER_NAME.fullmatch(name) is None or name.lower() in _OWN_HEADERS:
            problems.append(Problem("/spans/headers", f"Not an allowed header: {name[:100]}."))
        elif (
            not isinstance(value, str)
            or len(value) > MAX_HEADER_LENGTH
            or _HEADER_VALUE.fullmatch(value) is None
        ):
            message = f"Must be printable ASCII text of at most {MAX_HEADER_LENGTH} characters."
            problems.append(Problem(f"/spans/headers/{name}", message))
    return problems


def _bucket(sent: Mapping[str, Any], problems: list[Problem]) -> BucketTarget:
    problems += unknown_fields(sent, ("name", "region", "prefix", "roleArn"), "/bucket")
    rules = {
        "name": (_BUCKET, "Must be the name of a bucket without dots.", "my-costs"),
        "region": (_REGION, "Must be the region of the bucket.", "eu-central-1"),
        "roleArn": (_ROLE, "Must be a role for this export.", _A_ROLE),
        "prefix": (_PREFIX, "Must be empty, or folders with a slash at the end.", "costs/tollgate/"),
    }
    found: dict[str, str] = {}
    for name, (pattern, message, example) in rules.items():
        value = sent.get(name, "" if name == "prefix" else None)
        if not isinstance(value, str) or pattern.fullmatch(value) is None or len(value) > MAX_PREFIX_LENGTH:
            problems.append(Problem(f"/bucket/{name}", message, example))
        found[name] = str(value)
    return BucketTarget(found["name"], found["region"], found["roleArn"], found["prefix"])


def _url_problems(path: str, url: Any, guard: AddressGuard) -> list[Problem]:
    problem = url_problem(path, url, guard)
    return [] if problem is None else [problem]
