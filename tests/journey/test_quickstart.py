"""docs/quickstart.md: each block runs as it stands, and prints what stands below it."""

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

BLOCK = re.compile(r"^```(bash|python|javascript)\n(.*?)^```\n\n^```text\n(.*?)^```$", re.M | re.S)
BLOCKS: list[tuple[str, str, str]] = BLOCK.findall((ROOT / "docs/quickstart.md").read_text())
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


def test_no_block_is_left_out() -> None:
    text = (ROOT / "docs/quickstart.md").read_text()
    assert len(BLOCKS) == len(re.findall(r"^```(?:bash|python|javascript)$", text, re.M)) == 7


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
