"""The end user and the tags of a request: where they come from, and their bounds."""

from typing import Any

import pytest

from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.attribution import (
    HEADER,
    Attribution,
    attribution_of,
    is_tag_name,
    labels_text,
    tags_of,
)

LONG_ID = "user_" + "f" * 251

# fmt: off
FOUND: list[tuple[str, str | None, dict[str, Any], Attribution]] = [
    ("nothing", None, {}, Attribution()),
    ("one tag", "team=search", {}, Attribution(None, {"team": "search"})),
    ("spaces and an empty part",
     " team = search , ,feature=a/b ", {}, Attribution(None, {"team": "search", "feature": "a/b"})),
    ("a user in the header", "user=alice", {}, Attribution("alice")),
    ("a long user in the header", f"user={LONG_ID}", {}, Attribution(LONG_ID)),
    ("OpenAI's old field", None, {"user": "alice"}, Attribution("alice")),
    ("OpenAI's new field", None, {"safety_identifier": "hash-1"}, Attribution("hash-1")),
    ("Anthropic's field, as long as Claude Code's",
     None, {"metadata": {"user_id": LONG_ID}}, Attribution(LONG_ID)),
    ("the header wins", "user=alice", {"user": "bob"}, Attribution("alice")),
    ("user before safety_identifier", None, {"user": "a", "safety_identifier": "b"}, Attribution("a")),
    ("an empty user", None, {"user": "", "safety_identifier": "b"}, Attribution("b")),
    ("metadata as tags", None, {"metadata": {"team": "search"}}, Attribution(None, {"team": "search"})),
    ("metadata that is no tag",
     None, {"metadata": {"Team": "x", "note": "two words", "n": 1}}, Attribution()),
    ("the header's tag wins",
     "team=ads", {"metadata": {"team": "search"}}, Attribution(None, {"team": "ads"})),
    ("metadata of another form", None, {"metadata": ["x"]}, Attribution()),
]
REFUSED: list[tuple[str, str | None, dict[str, Any], str, str]] = [
    ("no pair", "team", {}, "", "part without `=`: team"),
    ("a wrong name", "Team=x", {}, "", "wrong name: Team"),
    ("a long name", f"{'n' * 33}=x", {}, "", "wrong name"),
    ("a wrong value", "team=two words", {}, "", "wrong value for the tag team"),
    ("a long value", f"team={'v' * 65}", {}, "", "wrong value for the tag team"),
    ("no value", "team=", {}, "", "wrong value for the tag team"),
    ("a tag twice", "team=a,team=b", {}, "", "has the tag team twice"),
    ("nine tags", ",".join(f"t{n}=x" for n in range(9)), {}, "", "at most 8 tags"),
    ("a long header", "a=" + "x" * 1023, {}, "", "at most 1024 characters"),
    ("a long user in the header", f"user={'u' * 257}", {}, "", "wrong end user"),
    ("a user that no body can have", "user=\x01", {}, "", "wrong end user"),
    ("a long user", None, {"user": "u" * 257}, "/user", "at most 256 characters"),
    ("two wrong users, of which the first counts",
     None, {"user": "u" * 257, "safety_identifier": 7}, "/user", "at most 256 characters"),
    ("half a character", None, {"metadata": {"user_id": "\ud800"}}, "/metadata/user_id", "printable text"),
    ("a user that is no text", None, {"safety_identifier": 7}, "/safety_identifier", "printable text"),
]
# fmt: on


class TestAttribution:
    @pytest.mark.parametrize(
        ("header", "fields", "found"), [row[1:] for row in FOUND], ids=[r[0] for r in FOUND]
    )
    def test_is_found(self, header: str | None, fields: dict[str, Any], found: Attribution) -> None:
        headers = {} if header is None else {HEADER: header}
        assert attribution_of(headers, fields) == found

    @pytest.mark.parametrize(
        ("header", "fields", "path", "message"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED]
    )
    def test_is_refused(self, header: str | None, fields: dict[str, Any], path: str, message: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            attribution_of({} if header is None else {HEADER: header}, fields)
        assert [problem.path for problem in refused.value.problems] == [path] * len(refused.value.problems)
        assert message in refused.value.problems[0].message

    def test_eight_tags_and_a_user_are_not_too_many(self) -> None:
        pairs = [f"t{n}=x" for n in range(8)]
        assert len(attribution_of({HEADER: ",".join([*pairs, "user=a"])}).tags) == 8

    def test_the_longest_header_is_not_too_long(self) -> None:
        longest = ",".join(f"{'n' * 31}{n}={'v' * 64}" for n in range(8)) + ",user="
        found = attribution_of({HEADER: longest.ljust(1024, "u")})
        assert (len(found.tags), found.user) == (8, "u" * (1024 - len(longest)))

    def test_of_more_tags_in_both_places_the_headers_stay(self) -> None:
        header = {HEADER: ",".join(f"h{n}=x" for n in range(6))}
        tags = attribution_of(header, {"metadata": {f"m{n}": "x" for n in range(16)}}).tags
        assert [*tags] == ["m14", "m15", "h0", "h1", "h2", "h3", "h4", "h5"]


def tags(prefix: str, count: int) -> dict[str, str]:
    return {f"{prefix}{number}": "x" for number in range(count)}


class TestTheLabelsOfAKey:
    """They win over those of a request, and all of them are kept."""

    @pytest.mark.parametrize(
        ("sent", "fixed", "found"),
        [
            (Attribution("a"), Attribution(None, {}, "p", "t"), Attribution("a", {}, "p", "t")),
            (Attribution("a"), Attribution("b"), Attribution("b")),
            (Attribution(), Attribution("b"), Attribution("b")),
            (
                Attribution(None, {"team": "x", "n": "1"}),
                Attribution(None, {"team": "y"}),
                Attribution(None, {"n": "1", "team": "y"}),
            ),
            (
                Attribution(None, {"feature": "team"}),
                Attribution(None, {"team": "y"}),
                Attribution(None, {"feature": "team", "team": "y"}),
            ),
            (
                Attribution(None, tags("s", 7)),
                Attribution(None, tags("f", 1)),
                Attribution(None, tags("s", 7) | tags("f", 1)),
            ),
            # Of ten, the first two of the request are left out.
            (
                Attribution(None, tags("s", 8)),
                Attribution(None, tags("f", 2)),
                Attribution(None, {f"s{number}": "x" for number in range(2, 8)} | tags("f", 2)),
            ),
        ],
        ids=[
            "its project and token",
            "two users",
            "only its user",
            "one tag of both",
            "a value that is the other's name",
            "eight tags",
            "ten tags",
        ],
    )
    def test_win(self, sent: Attribution, fixed: Attribution, found: Attribution) -> None:
        assert sent.under(fixed) == found

    def test_are_read_from_an_object(self) -> None:
        assert tags_of({"user": "a", **tags("t", 8)}, "/tags") == Attribution("a", tags("t", 8))

    @pytest.mark.parametrize("user", ["auth0|123", "Zoë, Paris", "x" * 256])
    def test_have_any_end_user_that_a_body_can_name(self, user: str) -> None:
        assert tags_of({"user": user}, "/tags") == attribution_of({}, {"user": user}) == Attribution(user)

    @pytest.mark.parametrize(
        ("user", "text"),
        [
            (None, "team=a"),
            ("auth0|123", "team=a,user=auth0|123"),
            # The header of no request can carry these. They are of a run token, which names them again.
            ("Zoë", "team=a"),
            ("Zoe, Paris", "team=a"),
        ],
    )
    def test_are_written_as_a_header_reads_them(self, user: str | None, text: str) -> None:
        assert labels_text(Attribution(user, {"team": "a"})) == text
        read = attribution_of({"x-tollgate-tags": text})
        assert read == Attribution(user if "user=" in text else None, {"team": "a"})

    @pytest.mark.parametrize(
        ("pairs", "path", "message"),
        [
            ([], "/tags", "an object with at most 8 tags"),
            (tags("t", 9), "/tags", "an object with at most 8 tags"),
            ({"Team": "x"}, "/tags", "Wrong name of a tag: Team"),
            ({"team": "two words"}, "/tags/team", "A tag's value must be letters"),
            ({"team": 1}, "/tags/team", "A tag's value must be letters"),
            ({"user": ""}, "/tags/user", "The end user must be printable text"),
            ({"user": "x" * 257}, "/tags/user", "The end user must be printable text"),
            ({"user": "a\nb"}, "/tags/user", "The end user must be printable text"),
            ({"user": 1}, "/tags/user", "The end user must be printable text"),
        ],
        ids=[
            "a list",
            "nine tags",
            "a wrong name",
            "a wrong value",
            "a number",
            "no user",
            "a long user",
            "a user of two lines",
            "a number as a user",
        ],
    )
    def test_are_refused_by_name(self, pairs: Any, path: str, message: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            tags_of(pairs, "/tags")
        (problem,) = refused.value.problems
        assert (problem.path, message in problem.message) == (path, True)

    @pytest.mark.parametrize(("name", "is_one"), [("team", True), ("user", False), ("Team", False)])
    def test_have_names(self, name: str, is_one: bool) -> None:
        assert is_tag_name(name) is is_one
