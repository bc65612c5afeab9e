"""README.md and docs/quickstart.md: each block runs as pasted, and prints the text below it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT
from tests.support.missing import needs

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

LINES = r"((?:(?!```)[^\n]*\n)*)"
BLOCK = re.compile(rf"^```(bash|python|javascript)\n{LINES}```\n\n```text\n{LINES}```$", re.M)
FENCE = re.compile(rf"^```(?:bash|python|javascript)\n{LINES}```$", re.M)
PAGES = {"docs/quickstart.md": 7, "README.md": 2}
"""Each page with the number of its blocks that print something."""
BLOCKS: list[tuple[str, str, str]] = [
    block for page in PAGES for block in BLOCK.findall((ROOT / page).read_text())
]
PROGRAMS = {
    "bash": (["bash", "-euo", "pipefail"], "sh"),
    "python": ([sys.executable], "py"),
    "javascript": (["node"], "mjs"),
}
TIMEOUT_S = 60


@pytest.fixture(scope="module")
def service_file(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return what `service.json` says of the running service."""
    return shared_service


def pattern(expected: str) -> str:
    """Return what an output must look like: `…` is anything."""
    return ".*".join(map(re.escape, expected.strip().split("…")))


def set_up(page: str) -> list[str]:
    """Return the blocks of a page that start the service or set variables: they print nothing."""
    return [
        code for code in FENCE.findall((ROOT / page).read_text()) if code.startswith(("make ", "export "))
    ]


@pytest.mark.parametrize("page", PAGES)
def test_no_block_is_left_out(page: str) -> None:
    text = (ROOT / page).read_text()
    assert len(BLOCK.findall(text)) == PAGES[page]
    assert len(FENCE.findall(text)) == PAGES[page] + len(set_up(page))


def test_the_readme_starts_the_service_and_sets_both_variables(
    service_file: dict[str, Any], tmp_path: Path
) -> None:
    start, variables = set_up("README.md")
    assert start == "make run\n"
    (tmp_path / ".local").mkdir()
    (tmp_path / ".local/service.json").write_text(json.dumps({"apiKey": service_file["apiKey"]}))
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f'{variables}echo "$TOLLGATE_URL $TOLLGATE_API_KEY"'],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    assert ran.stdout == f"http://127.0.0.1:8080 {service_file['apiKey']}\n"


@pytest.mark.parametrize(
    ("language", "code", "expected"), BLOCKS, ids=[f"{n}-{b[0]}" for n, b in enumerate(BLOCKS)]
)
def test_a_block(
    service_file: dict[str, Any], tmp_path: Path, language: str, code: str, expected: str
) -> None:
    program, suffix = PROGRAMS[language]
    needs(program[0])
    file = tmp_path / f"quickstart.{suffix}"
    file.write_text(code)
    ran = subprocess.run(
        [*program, str(file)],
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "TOLLGATE_URL": service_file["baseUrl"],
            "TOLLGATE_API_KEY": service_file["apiKey"],
        },
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert re.fullmatch(pattern(expected), ran.stdout.strip(), re.S), ran.stdout
