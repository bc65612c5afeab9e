"""Attribution: the end user and the tags that a customer gives to a request. Pure.

The header `x-tollgate-tags: team=search,user=alice` works on every route. The protocols' own fields for an
end user work too: OpenAI's `user` and `safety_identifier`, and Anthropic's `metadata.user_id`. The pairs of
OpenAI's `metadata` are tags as well, if they keep to the rules of tags. The ledger stores both with the
entry, so statistics and budgets can group by them. Rules for customers: site/attribution.md.

A run token and a project are labels too. They follow from the key, so no request can choose them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

HEADER = "x-tollgate-tags"
# Tags of one request. An entry with the longest tags stays below 1 KB, which is one write unit.
MAX_TAGS = 8
MAX_NAME_LENGTH = 32
MAX_VALUE_LENGTH = 64
# Anywhere. Anthropic allows 256 characters for `metadata.user_id`, and Claude Code sends about 200.
MAX_USER_LENGTH = 256
MAX_HEADER_LENGTH = 1024
# Headers that a process has read and caches: at most 1 MB.
MAX_CACHED_HEADERS = 500
USER = "user"
"""The name in the header that stands for the end user."""
PROJECT, TOKEN = "project", "token"
"""The labels that follow from the key."""

NAME_PATTERN = rf"[a-z][a-z0-9_-]{{0,{MAX_NAME_LENGTH - 1}}}"
_NAME = re.compile(NAME_PATTERN)
_VALUE = re.compile(rf"[A-Za-z0-9_.:@/+-]{{1,{MAX_VALUE_LENGTH}}}")
_EXAMPLE = '{"team": "search", "user": "customer-17"}'
_FORM = "name=value pairs with commas between them, such as team=search,feature=summary"
_NAME_RULE = f"a letter a-z, then letters a-z, digits, _ or -; at most {MAX_NAME_LENGTH} characters"
_USER_RULE = f"printable text of at most {MAX_USER_LENGTH} characters"
_VALUE_RULE = f"letters, digits and _ . : @ / + -; 1 to {MAX_VALUE_LENGTH} characters"


@dataclass(frozen=True, slots=True)
class Attribution:
    """The end user, `None` if unknown, the tags by name, and the ids of the project and the run token."""

    user: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    project: str | None = None
    token: str | None = None

    def stored(self) -> dict[str, Any]:
        """Return the attributes of a row. An attribute without a value is left out."""
        found = {"user": self.user, "tags": dict(self.tags), "project": self.project, "token": self.token}
        return {name: value for name, value in found.items() if value}

    @classmethod
    def from_item(cls, row: Mapping[str, Any]) -> "Attribution":
        """Return the attribution in the attributes of a row."""
        return cls(row.get("user"), row.get("tags", {}), row.get("project"), row.get("token"))

    def under(self, fixed: "Attribution") -> "Attribution":
        """Return these labels of a request with the labels of its key, which win. The last tags are kept."""
        others = [pair for pair in self.tags.items() if pair[0] not in fixed.tags]
        kept = others[max(0, len(others) + len(fixed.tags) - MAX_TAGS) :]
        return Attribution(fixed.user or self.user, {**dict(kept), **fixed.tags}, fixed.project, fixed.token)


NONE = Attribution()


def is_tag_name(text: str) -> bool:
    """Return whether a text can be the name of a tag."""
    return text != USER and _NAME.fullmatch(text) is not None


def tags_text(tags: Mapping[str, str]) -> str:
    """Return tags in the form of the header."""
    return ",".join(f"{name}={value}" for name, value in tags.items())


def labels_text(labels: Attribution) -> str:
    """Return the tags and the end user in the form of the header.

    If the header cannot carry the user, it belongs to a run token, whose key adds it again.
    """
    user = {USER: labels.user} if labels.user and _fits_header(labels.user) else {}
    return tags_text({**labels.tags, **user})


def attribution_of(headers: Mapping[str, str], fields: Mapping[str, Any] | None = None) -> Attribution:
    """Return the attribution of a request: from its headers, and from the `fields` of a text protocol's body.

    `headers` have lower-case names. The header wins over the body. Raises `InvalidInputError` with every
    problem.
    """
    sent, wrong = _sent(headers.get(HEADER, ""))
    body, problems = {} if fields is None else fields, list(wrong)
    user = sent.get(USER) or _user_of(body, problems)
    tags = {**dict(_metadata_pairs(body)), **sent}
    tags.pop(USER, None)
    if problems:
        raise InvalidInputError(problems)
    return Attribution(user, dict(list(tags.items())[-MAX_TAGS:])) if user or tags else NONE


def tags_of(pairs: Any, path: str) -> Attribution:
    """Return the labels in a JSON object of names and values; `user` is the end user.

    Raises `InvalidInputError` with every problem, below `path`.
    """
    if not isinstance(pairs, dict) or len(pairs.keys() - {USER}) > MAX_TAGS:
        raise InvalidInputError([Problem(path, f"Must be an object with at most {MAX_TAGS} tags.", _EXAMPLE)])
    problems = []
    for name, value in pairs.items():
        if _NAME.fullmatch(name) is None:
            problems.append(Problem(path, f"Wrong name of a tag: {name[:MAX_VALUE_LENGTH]}.", _NAME_RULE))
        elif name == USER and not _is_user(value):
            problems.append(Problem(f"{path}/{name}", f"The end user must be {_USER_RULE}.", _USER_RULE))
        elif name != USER and (not isinstance(value, str) or _VALUE.fullmatch(value) is None):
            problems.append(Problem(f"{path}/{name}", f"A tag's value must be {_VALUE_RULE}.", _VALUE_RULE))
    if problems:
        raise InvalidInputError(problems)
    return Attribution(pairs.get(USER), {name: pairs[name] for name in pairs if name != USER})


@lru_cache(maxsize=MAX_CACHED_HEADERS)
def _sent(text: str) -> tuple[Mapping[str, str], tuple[Problem, ...]]:
    """Return the pairs of the header by name, and its problems."""
    problems: list[Problem] = []
    return dict(_sent_pairs(text, problems)), tuple(problems)


def _sent_pairs(text: str, problems: list[Problem]) -> Iterator[tuple[str, str]]:
    """Return the pairs of the header."""
    if len(text) > MAX_HEADER_LENGTH:
        problems.append(_of_header(f"must have at most {MAX_HEADER_LENGTH} characters."))
        return
    pairs = [pair.strip() for pair in text.split(",") if pair.strip()]
    names = [pair.partition("=")[0].strip() for pair in pairs]
    if len(set(names) - {USER}) > MAX_TAGS:
        problems.append(_of_header(f"must have at most {MAX_TAGS} tags."))
    for name, pair in zip(names, pairs, strict=True):
        value = pair.partition("=")[2].strip()
        if "=" not in pair:
            problems.append(_of_header(f"has a part without `=`: {pair[:MAX_VALUE_LENGTH]}.", _FORM))
        elif _NAME.fullmatch(name) is None:
            problems.append(_of_header(f"has a wrong name: {name[:MAX_VALUE_LENGTH]}.", _NAME_RULE))
        elif names.count(name) > 1:
            problems.append(_of_header(f"has the tag {name} twice."))
        elif name == USER and not (_fits_header(value) and _is_user(value)):
            problems.append(_of_header("has a wrong end user.", f"{_USER_RULE}; in a header only ASCII"))
        elif name != USER and _VALUE.fullmatch(value) is None:
            problems.append(_of_header(f"has a wrong value for the tag {name}.", _VALUE_RULE))
        else:
            yield name, value


def _of_header(what: str, allowed: str | None = None) -> Problem:
    return Problem("", f"The header {HEADER} {what}", allowed)


def _user_of(fields: Mapping[str, Any], problems: list[Problem]) -> str | None:
    """Return the end user that a body names, by the first of the protocols' fields that has a value."""
    metadata = fields.get("metadata")
    named = {
        "/user": fields.get("user"),
        "/safety_identifier": fields.get("safety_identifier"),
        "/metadata/user_id": metadata.get("user_id") if isinstance(metadata, dict) else None,
    }
    for path, value in named.items():
        if value is None or value == "":
            continue
        if _is_user(value):
            return str(value)
        problems.append(Problem(path, f"Must be {_USER_RULE}."))
        break
    return None


def _is_user(value: Any) -> bool:
    """Return whether a value can be an end user's id."""
    # Text that no row can store, such as half of a surrogate pair, is not printable.
    return isinstance(value, str) and 0 < len(value) <= MAX_USER_LENGTH and value.isprintable()


def _fits_header(user: str) -> bool:
    # Clients encode other letters in different ways, and a comma ends the pair.
    return user.isascii() and "," not in user


def _metadata_pairs(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the pairs of `metadata` that keep to the rules of tags. The provider gets all pairs, if any."""
    metadata = fields.get("metadata")
    for name, value in metadata.items() if isinstance(metadata, dict) else ():
        is_tag = name not in (USER, "user_id") and _NAME.fullmatch(name) is not None
        if is_tag and isinstance(value, str) and _VALUE.fullmatch(value) is not None:
            yield name, value
