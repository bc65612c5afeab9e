"""`tollgate catalog …` from what is typed to what is said and written."""

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tollgate.audit.events import Action
from tollgate.catalog.errors import RefusedDocumentError
from tollgate.catalog.loader import compiled
from tollgate.command import catalog
from tollgate.command.app import cli
from tollgate.kit.remote_document import DocumentConflictError, Fetched, Found, Nothing

SHIPPED = compiled()
shipped_document = cache(catalog.shipped_document)
"""Each push checks all files, which stay as they are."""
ETAG = '"as it was"'
NEW_ETAG = '"new"'


@dataclass
class Document:
    """The live document, in memory; `meanwhile` is written by somebody else before the next write."""

    now: Found | None = None
    meanwhile: Found | None = None
    writes: list[str] = field(default_factory=list)

    def read(self, etag: str | None = None) -> Fetched:
        return self.now or Nothing.MISSING

    def put(self, body: bytes, replaces: str | None) -> str:
        self._check(replaces)
        self.now = Found(NEW_ETAG, body)
        self.writes.append("put")
        return NEW_ETAG

    def remove(self, etag: str) -> None:
        self._check(etag)
        self.now = None
        self.writes.append("remove")

    def _check(self, etag: str | None) -> None:
        self.now = self.meanwhile or self.now
        if (self.now and self.now.etag) != etag:
            raise DocumentConflictError


@dataclass(frozen=True)
class Target:
    name: str
    document: Document


@dataclass(frozen=True)
class Console:
    """The console of the one service there is; it keeps what is noted."""

    noted: list[tuple[Action, str, str]]

    @property
    def console(self) -> "Console":
        return self

    def note(self, action: Action, subject: str, detail: str) -> None:
        self.noted.append((action, subject, detail))


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Action, str, str]]:
    """Return what the service's audit log has."""
    found: list[tuple[Action, str, str]] = []
    monkeypatch.setattr(catalog, "service_of", lambda *_: Console(found))
    return found


@pytest.fixture
def document(monkeypatch: pytest.MonkeyPatch, noted: object) -> Document:
    """Return the document of the one service there is."""
    found = Document()
    monkeypatch.setattr(catalog, "target_of", lambda *_: Target("stack x", found))
    monkeypatch.setattr(catalog, "shipped_document", shipped_document)
    return found


class TestTheAuditLog:
    def test_it_has_what_was_published_and_removed_and_nothing_else(
        self, document: Document, noted: list[tuple[Action, str, str]]
    ) -> None:
        answer("push", "--dry-run")
        assert noted == []
        answer("push")
        answer("push")
        answer("reset", "--yes")
        answer("reset", "--yes")
        assert noted == [
            (Action.CATALOG_CHANGED, "Catalog", f"published, {NEW_ETAG}"),
            (Action.CATALOG_CHANGED, "Catalog", f"removed, {NEW_ETAG}"),
        ]

    def test_what_somebody_else_was_quicker_with_is_not_noted(
        self, document: Document, noted: list[tuple[Action, str, str]]
    ) -> None:
        document.meanwhile = Found(ETAG, b"{}")
        assert tollgate("push").exit_code == 1
        assert noted == []


def tollgate(*words: str) -> Result:
    """Run `tollgate catalog …` in a terminal that is wide enough for any path."""
    return CliRunner().invoke(cli, ["catalog", *words], env={"COLUMNS": "300"})


def answer(*words: str) -> Any:
    """Run it for a program; it must succeed."""
    found = tollgate(*words, "--json")
    assert found.exit_code == 0
    return json.loads(found.stdout)


def changed(**models: Any) -> Found:
    """Return the shipped document with other models; `None` is without."""
    merged = {**json.loads(SHIPPED), **models}
    kept = {model_id: raw for model_id, raw in merged.items() if raw is not None}
    return Found(ETAG, json.dumps(kept).encode())


def dearer_image() -> dict[str, Any]:
    """Return z-image at 7 cents, with fal and kie alone."""
    raw: dict[str, Any] = json.loads(SHIPPED)["z-image"]
    raw["pricing"]["prices"][0]["price"] = "0.07"
    raw["routes"] = [route for route in raw["routes"] if route["provider"] in ("fal", "kie")]
    return raw


class TestLint:
    def test_the_shipped_data_has_no_fault(self) -> None:
        assert tollgate("lint").stdout.startswith("No fault. ")
        assert answer("lint")["faults"] == []

    def test_a_document_is_held_to_the_same_rules_and_every_fault_is_a_line(self, tmp_path: Path) -> None:
        raw = dearer_image()
        raw["pricing"]["prices"][0]["price"] = "0.001"
        file = tmp_path / "catalog.json"
        file.write_bytes(changed(**{"z-image": raw}).body)
        found = tollgate("lint", str(file))
        assert found.exit_code == 1
        # Not whole cents, and below the 0.01 of fal; of kie's 0.004 too.
        assert [line.partition(":")[0] for line in found.stdout.splitlines()] == ["z-image"] * 3 + [
            "3 faults"
        ]
        assert len(json.loads(tollgate("lint", str(file), "--json").stdout)["faults"]) == 3

    def test_a_file_that_is_not_there_is_one_line(self, tmp_path: Path) -> None:
        found = tollgate("lint", str(tmp_path / "none.json"))
        assert found.exit_code == 1
        assert found.stderr == f"tollgate: {tmp_path / 'none.json'}: No such file or directory\n"


class TestDiff:
    def test_without_a_document_nothing_differs(self, document: Document) -> None:
        assert "stack x has no document" in tollgate("diff").stdout
        assert answer("diff") == {"live": None}

    def test_the_same_is_said_to_be_the_same(self, document: Document) -> None:
        document.now = Found(ETAG, SHIPPED)
        assert tollgate("diff").stdout == "The live document is the same as the shipped data.\n"
        assert answer("diff")["same"] is True

    def test_shows_models_prices_and_routes_both_ways(self, document: Document) -> None:
        document.now = changed(**{"z-image": dearer_image(), "suno": None, "old[1]": {}})
        shown = tollgate("diff").stdout
        assert "old[1]: only in the live document" in shown
        assert "suno: only in the shipped data" in shown
        assert re.search(r"pricing\.prices\.default\.price +0\.07", shown)
        found = answer("diff")
        assert (found["live"], found["onlyLive"], found["onlyShipped"]) == (ETAG, ["old[1]"], ["suno"])
        by_path = {change["path"]: change for change in found["changed"]["z-image"]}
        price = by_path["pricing.prices.default.price"]
        assert (price["live"], price["shipped"]) == ("0.07", "0.01")
        assert by_path["routes.poyo.mapping"] == {
            "path": "routes.poyo.mapping",
            "live": None,
            "shipped": "z-image",
        }

    @pytest.mark.parametrize("body", [b"{", b"[]"])
    def test_a_broken_document_is_one_line(self, document: Document, body: bytes) -> None:
        document.now = Found(ETAG, body)
        found = tollgate("diff")
        assert found.exit_code == 1
        assert found.stderr.startswith("tollgate: The live document is ")
        assert found.stderr.count("\n") == 1


class TestPush:
    def test_the_first_one(self, document: Document) -> None:
        assert answer("push") == {"pushed": True, "etag": NEW_ETAG, "changes": None}
        assert document.now == Found(NEW_ETAG, SHIPPED)

    def test_says_what_it_changes_and_writes_it(self, document: Document) -> None:
        document.now = changed(**{"z-image": dearer_image()})
        found = tollgate("push")
        assert re.search(r"pricing\.prices\.default\.price +0\.07", found.stdout)
        assert "Published to stack x; every function uses it within 60 s." in found.stdout
        assert document.now == Found(NEW_ETAG, SHIPPED)

    def test_a_dry_run_says_the_same_and_writes_nothing(self, document: Document) -> None:
        before = document.now = changed(**{"z-image": dearer_image()})
        found = answer("push", "--dry-run")
        assert found["pushed"] is False
        assert list(found["changes"]["changed"]) == ["z-image"]
        assert "Nothing was written." in tollgate("push", "--dry-run").stdout
        assert (document.now, document.writes) == (before, [])

    def test_what_is_there_already_is_not_written_again(self, document: Document) -> None:
        document.now = Found(ETAG, SHIPPED)
        assert "Nothing to push" in tollgate("push").stdout
        assert answer("push") == {"pushed": False}
        assert document.writes == []

    @pytest.mark.parametrize("before", [None, changed()])
    def test_another_push_in_between_is_not_overwritten(
        self, document: Document, before: Found | None
    ) -> None:
        document.now = before
        document.meanwhile = Found('"theirs"', b"{}")
        found = tollgate("push")
        assert found.exit_code == 1
        assert found.stderr.splitlines()[-1].startswith(
            "tollgate: Another operator changed the document meanwhile"
        )
        assert (document.now, document.writes) == (document.meanwhile, [])

    @pytest.mark.parametrize("body", [b"{", b"[]"])
    def test_a_broken_document_is_replaced(self, document: Document, body: bytes) -> None:
        document.now = Found(ETAG, body)
        found = tollgate("push", "--json")
        assert json.loads(found.stdout)["pushed"] is True
        assert "The live document is" in found.stderr
        assert document.now == Found(NEW_ETAG, SHIPPED)

    def test_data_with_a_fault_is_not_made_into_a_document(self, tmp_path: Path) -> None:
        (tmp_path / "z-image.yaml").write_text("id: z-image")
        with pytest.raises(RefusedDocumentError, match=r"z-image\.yaml: "):
            catalog.shipped_document(tmp_path)


class TestPull:
    def test_writes_the_document_as_it_is(self, document: Document, tmp_path: Path) -> None:
        document.now = changed()
        assert tollgate("pull", str(tmp_path / "live.json")).exit_code == 0
        assert (tmp_path / "live.json").read_bytes() == document.now.body
        assert tollgate("lint", str(tmp_path / "live.json")).exit_code == 0

    def test_overwrites_nothing(self, document: Document, tmp_path: Path) -> None:
        document.now = changed()
        (tmp_path / "live.json").write_text("mine")
        found = tollgate("pull", str(tmp_path / "live.json"))
        assert found.exit_code == 1
        assert found.stderr == f"tollgate: {tmp_path / 'live.json'}: File exists\n"
        assert (tmp_path / "live.json").read_text() == "mine"

    def test_without_a_document_there_is_no_file(self, document: Document, tmp_path: Path) -> None:
        found = tollgate("pull", str(tmp_path / "live.json"))
        assert found.exit_code == 1
        assert found.stderr.startswith("tollgate: stack x has no document")
        assert not (tmp_path / "live.json").exists()


class TestReset:
    def test_removes_the_document(self, document: Document) -> None:
        document.now = changed()
        assert answer("reset", "--yes") == {"removed": ETAG}
        assert document.now is None

    def test_people_are_asked_first_because_all_prices_change(self, document: Document) -> None:
        document.now = changed()
        found = tollgate("reset")
        assert (found.exit_code, document.writes) == (1, [])
        assert "Remove the live document of stack x?" in found.stderr
        assert "Nothing was done" in found.stderr

    def test_without_one_there_is_nothing_to_do(self, document: Document) -> None:
        assert answer("reset") == {"removed": None}
        assert document.writes == []

    def test_one_that_changed_meanwhile_stays(self, document: Document) -> None:
        document.now = changed()
        document.meanwhile = Found('"theirs"', b"{}")
        found = tollgate("reset", "--yes")
        assert found.exit_code == 1
        assert found.stderr.startswith("tollgate: Another operator changed the document meanwhile")
        assert document.now is document.meanwhile


class TestErrors:
    def test_no_service_is_one_line_that_says_what_to_do(self, tmp_path: Path) -> None:
        found = tollgate("diff", "--local", str(tmp_path))
        assert found.exit_code == 1
        assert found.stderr.startswith("tollgate: No local service is running.")
        assert found.stderr.count("\n") == 1
