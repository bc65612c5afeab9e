"""README.md: short, and its numbers are those of the catalog, of the measurements and of the template."""

import ast
import builtins
import re
from pathlib import Path

import pytest

from local.upkeep.prose_files import ROOT
from tests.support.doc_programs import FENCE, SETTINGS, programs
from tests.unit.catalog.cases import CATALOG
from tollgate.providers.runtime.accounts import accounts
from tollgate.providers.runtime.registry import MappingNames

README = (ROOT / "README.md").read_text()
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("clients/*/README.md")])
SITE = sorted(ROOT.glob("shared/tollgate/reference/site/**/*.md"))
MAX_LINES = 120
RUN = {"bash", "sh", "python", "javascript", "js", "typescript", "ts", "toml", "yaml"}
"""The languages of blocks that a reader pastes; JSON is pasted if its label is a file's name."""
OTHER_NAMES = re.compile(r"\$\{?(?:URL|KEY|BASE_URL|BASE|API_KEY|HOST)\b|(?<![A-Z_])URL/(?:api|mcp|docs)")


def row(page: str, label: str) -> list[str]:
    """Return the cells of the table row that starts with `label`."""
    (line,) = re.findall(rf"^\| {re.escape(label)}.*$", page, re.MULTILINE)
    return [cell.strip() for cell in str(line).strip("|").split("|")]


def figures(cells: list[str]) -> list[str]:
    """Return the decimal numbers of table cells."""
    return [number for cell in cells for number in re.findall(r"\d+\.\d+", cell)]


def undefined(code: str) -> set[str]:
    """Return the names that a Python program uses and does not define or import itself."""
    nodes = list(ast.walk(ast.parse(code)))
    known = set(dir(builtins))
    known |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    known |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    known |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    known |= {(node.asname or node.name).split(".")[0] for node in nodes if isinstance(node, ast.alias)}
    known |= {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    return {node.id for node in nodes if isinstance(node, ast.Name)} - known


class TestReadme:
    def test_it_is_short(self) -> None:
        assert len(README.splitlines()) <= MAX_LINES

    def test_models_and_vendors_are_those_that_all_providers_can_serve(self) -> None:
        served = CATALOG.with_live(frozenset(accounts()), MappingNames())
        offered = [model for model in served.all_models() if "test" not in model.tags]
        vendors = {model.vendor for model in offered}
        hundreds = len(offered) // 100 * 100
        assert f"more than {hundreds} models from {len(vendors)} vendors" in README

    @pytest.mark.parametrize(
        ("here", "there"),
        [
            ("CPU seconds per 1,000 text requests", "CPU-s per 1000 requests"),
            ("Milliseconds to the first byte", "ms to the first byte, alone"),
        ],
    )
    def test_measured_numbers_are_those_of_the_performance_page(self, here: str, there: str) -> None:
        _, results = (ROOT / "docs/performance.md").read_text().split("\nResults on ", 1)
        measured = figures(row(results, there)[1:])
        ours, _, litellm, *_ = measured
        assert figures(row(README, here)[1:]) == [ours, litellm]
        assert "make bench-text" in row(README, here)[0]

    def test_litellm_has_the_version_that_was_measured(self) -> None:
        version = re.search(r"^LITELLM_VERSION := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert version
        assert f"LiteLLM {version[1]}" in README


@pytest.mark.parametrize("page", [*PAGES, *SITE], ids=lambda page: page.relative_to(ROOT).as_posix())
class TestBlocksToPaste:
    def test_the_variables_have_one_name(self, page: Path) -> None:
        assert OTHER_NAMES.findall(page.read_text()) == []

    def test_placeholders_are_ascii(self, page: Path) -> None:
        blocks = FENCE.findall(page.read_text())
        wrong = [
            code
            for language, label, code in blocks
            if (language in RUN or SETTINGS.fullmatch(label)) and "…" in code
        ]
        assert wrong == []

    def test_each_python_program_runs_without_the_one_above_it(self, page: Path) -> None:
        alone = [one.code for one in programs(page.read_text()) if one.language == "python"]
        assert [names for names in map(undefined, alone) if names] == []


def test_a_program_without_its_import_is_found() -> None:
    assert undefined("from openai import OpenAI\nclient = OpenAI(api_key=os.environ['KEY'])") == {"os"}
