"""`make prose`: awkward sentences are found, and the ceilings of files only fall."""

import json
from pathlib import Path

import pytest

from local.upkeep import prose, prose_files
from local.upkeep.prose import Count, Counts
from local.upkeep.prose_files import GROUPS

AWKWARD = {
    "`what …` without a noun": "The service refunds what fails.",
    "`who …` without a person": "The page is sent to who asks.",
    "`where` for if": "The answer is 429 where the limit is reached.",
    "`alone` for only": "Owners alone may open the page.",
    "`as` for because": "The task ends, as it has no route.",
    "`that of`, `those of`, `one that`": "The limit is that of the account.",
    "`of its own`, `of ours`": "Each function has a role of its own.",
    "`in the place of`": "The name stands in the place of the address.",
    "`goes on`": "The worker goes on after the fault.",
    "`nobody`, `somebody`, `whoever`": "The alarm rings and nobody comes.",
    "a thing that speaks, hears or wants": "The row says how the task ended.",
    "`is told`, `tells of`": "The customer is told by a mail.",
    "an old-fashioned word": "The price lies in the first table.",
    "`be it`, `for good`, `by itself`": "The table deletes old rows by itself.",
    "`is made`, `makes` for create": "An image is made from the prompt.",
}
PLAIN = (
    "Tollgate refunds failed tasks in full.",
    "Members who left the account keep no access.",
    "If the limit is reached, the response is 429.",
    "Only owners can open the page.",
    "The task ends because it has no route.",
    "Run the command to see what to do.",
)


COUNTED = prose.counts
PAGE = "README.md"


def of(group: str, **files: Count) -> Counts:
    """Return counts with files in one group."""
    return {name: (files if name == group else {}) for name in GROUPS}


def of_ceilings(group: str, **files: int) -> prose.Ceilings:
    """Return ceilings of files in one group."""
    return {name: (files if name == group else {}) for name in GROUPS}


class TestPatterns:
    def test_there_is_an_example_of_each(self) -> None:
        assert list(AWKWARD) == [pattern.name for pattern in prose.PATTERNS]

    @pytest.mark.parametrize(("name", "sentence"), AWKWARD.items())
    def test_an_awkward_sentence_matches_its_pattern_only(self, name: str, sentence: str) -> None:
        assert [pattern.name for pattern in prose.reasons(sentence)] == [name]
        assert prose.count(sentence) == Count(1, 1)

    @pytest.mark.parametrize("sentence", PLAIN)
    def test_a_plain_sentence_matches_none(self, sentence: str) -> None:
        assert prose.reasons(sentence) == []
        assert prose.count(sentence) == Count(0, 1)


class TestSentences:
    def test_labels_are_not_sentences(self) -> None:
        assert prose.sentences("Keys and scopes. Each key has its scopes.") == ["Each key has its scopes."]

    def test_paragraphs_and_list_items_end_a_sentence(self) -> None:
        text = "The first of three parts\n\nthe second of three parts\n- the third of three parts"
        assert len(prose.sentences(text)) == 3

    def test_a_line_break_does_not(self) -> None:
        assert prose.sentences("The sentence continues on\nthe next line.") == [
            "The sentence continues on the next line."
        ]


class TestText:
    def test_markdown_has_no_code_and_no_headings_but_cells(self) -> None:
        page = (
            "# What it is\n\nSee [here](https://what.it) and `what it is`.\n\n```\nwhat the code is\n```\n\n"
        )
        text = prose_files.markdown(f"{page}| A cell of a table | `x` |\n|---|---|\n")
        assert "what" not in text.lower()
        assert prose.sentences(text) == ["See [here] and `…`.", "A cell of a table"]

    def test_a_template_has_no_markup_and_no_values(self) -> None:
        page = (
            "{# it #}<p>You <b>pay</b> {{ x }} for\n it.</p><script>what it is now</script><p>{% if x %}</p>"
        )
        assert prose.sentences(prose_files.html(page)) == ["You pay … for it."]

    def test_a_module_has_strings_docstrings_and_comments(self) -> None:
        source = (
            '"""The docstring of this module."""\n\n'
            'LIMIT = 1\n"""The most that fits here."""\n\n'
            "# The first line, and\n# the second of it.\n"
            'raise ValueError(f"The limit is {LIMIT} at most.")\n'
        )
        strings, comments = prose_files.python(source)
        assert prose.sentences(strings) == ["The limit is … at most."]
        assert prose.sentences(comments) == [
            "The docstring of this module.",
            "The most that fits here.",
            "The first line, and the second of it.",
        ]

    def test_every_string_of_a_yaml_file_counts(self, tmp_path: Path) -> None:
        (tmp_path / "x.yaml").write_text("a: {b: [The first of the texts.]}\nc: 'The second of the texts.'\n")
        assert len(prose.sentences(prose_files.prose(tmp_path / "x.yaml")["pages"])) == 2

    def test_the_files_that_people_read_are_among_them(self) -> None:
        found = {path.relative_to(prose_files.ROOT).as_posix() for path in prose_files.paths()}
        assert {
            "README.md",
            "shared/tollgate/reference/site/errors.md",
            "docs/decisions/0001-one-template-one-emulator.md",
            "clients/mcp/README.md",
            "shared/tollgate/reference/site/index.md",
            "shared/tollgate/reference/operations.yaml",
            "functions/dashboard/templates/landing.html",
            "shared/tollgate/notices/mails.py",
            "functions/api/media.py",
            "local/upkeep/prose.py",
        } <= found


class TestCeilings:
    def test_a_file_at_its_ceiling_passes(self) -> None:
        assert list(prose.faults(of("pages", a=Count(9, 50)), of_ceilings("pages", a=9))) == []

    def test_a_file_above_its_ceiling_fails(self) -> None:
        (line,) = prose.faults(of("pages", a=Count(10, 50)), of_ceilings("pages", a=9))
        assert "a: 10 awkward sentences (pages), the ceiling is 9" in line

    def test_a_file_below_its_ceiling_fails_until_the_ceiling_is_lowered(self) -> None:
        found, ceilings = of("pages", a=Count(8, 50)), of_ceilings("pages", a=9)
        (line,) = prose.faults(found, ceilings)
        assert line.endswith("make prose")
        assert prose.lowered(found, ceilings) == of_ceilings("pages", a=8)
        assert list(prose.faults(found, prose.lowered(found, ceilings))) == []

    def test_lowering_never_raises_a_ceiling(self) -> None:
        assert prose.lowered(of("pages", a=Count(10, 50)), of_ceilings("pages", a=9))["pages"] == {"a": 9}

    @pytest.mark.parametrize(("group", "allowed"), [("pages", 4), ("texts", 4), ("comments", 5)])
    def test_a_new_file_keeps_to_the_target(self, group: str, allowed: int) -> None:
        nothing = of_ceilings(group)
        assert list(prose.faults(of(group, new=Count(allowed, 100)), nothing)) == []
        (line,) = prose.faults(of(group, new=Count(allowed + 1, 100)), nothing)
        assert f"more than {allowed}%" in line

    def test_lowering_gives_a_new_file_no_ceiling(self) -> None:
        assert prose.lowered(of("pages", new=Count(9, 50)), of_ceilings("pages")) == of_ceilings("pages")

    def test_a_file_that_meets_the_target_or_is_gone_loses_its_ceiling(self) -> None:
        found, ceilings = of("pages", a=Count(2, 50)), of_ceilings("pages", a=2, gone=3)
        assert len(list(prose.faults(found, ceilings))) == 1
        assert prose.lowered(found, ceilings) == of_ceilings("pages")

    def test_ceilings_move_with_a_renamed_file_or_folder(self) -> None:
        before = {"pages": {"docs/x": 1, "docs/xy": 2, "doc": 3}}
        assert prose.moved(before, "docs", "guides")["pages"] == {
            "guides/x": 1,
            "guides/xy": 2,
            "doc": 3,
        }
        assert prose.moved(before, "docs/x", "y")["pages"] == {"y": 1, "docs/xy": 2, "doc": 3}


class TestTheCommand:
    @pytest.fixture
    def repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Return a repository of one page with two awkward sentences and the ceiling 3."""
        (tmp_path / PAGE).write_text("The service refunds what fails. Owners alone may open it.\n")
        (tmp_path / "prose.json").write_text(json.dumps({"pages": {PAGE: 3}, "texts": {}, "comments": {}}))
        monkeypatch.setattr(prose, "CEILINGS", tmp_path / "prose.json")
        monkeypatch.setattr(prose, "counts", lambda: COUNTED(tmp_path))
        return tmp_path

    def test_check_changes_nothing_and_fails(
        self, repository: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = (repository / "prose.json").read_text()
        assert prose.main(["--check"]) == 1
        assert "make prose" in capsys.readouterr().out
        assert (repository / "prose.json").read_text() == before

    def test_lower_writes_the_ceilings_and_passes(
        self, repository: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert prose.main(["--lower"]) == 0
        assert "2 of     2 sentences, 100.0%" in capsys.readouterr().out
        assert prose.main(["--check"]) == 0

    def test_show_lists_the_sentences_with_the_advice(
        self, repository: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert prose.main(["--show", str(repository / PAGE)]) == 0
        shown = capsys.readouterr().out
        assert "pages: Owners alone may open it." in shown
        assert "write: only, before the noun" in shown
