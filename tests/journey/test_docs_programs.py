"""README.md, docs/ and the customer docs: each program for the shell and Python runs as pasted.

It prints the output that the page shows below it. tests/clients/test_docs_settings.py runs the others.
"""

import json
import os
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.template import ROOT
from tests.support.doc_programs import (
    FENCE,
    NOT_RUN,
    OF_CLIENTS,
    OTHERS,
    PAGES,
    PROGRAMS,
    SETTINGS,
    page_text,
    programs,
    read,
    to_run,
)
from tests.support.missing import needs

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("local-service")]

TIMEOUT_S = 10
PARSERS: dict[str, Callable[[str], Any]] = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return the address of the running service and a key."""
    return shared_service


@pytest.mark.parametrize("page", [page for page in PAGES if page not in OF_CLIENTS])
def test_the_programs_of_a_page_run(service: dict[str, Any], tmp_path: Path, page: str) -> None:
    if to_run(page, page_text(page, service["baseUrl"]), {"bash", "python"}):
        needs("curl", "jq")
    read(page, service, tmp_path, {"bash", "python"})


@pytest.mark.parametrize("page", PAGES)
def test_each_block_has_a_language_and_settings_can_be_read(service: dict[str, Any], page: str) -> None:
    for fence in FENCE.finditer(page_text(page, service["baseUrl"])):
        assert fence[1] in PROGRAMS | OTHERS, fence[0]
        if SETTINGS.fullmatch(fence[2] or ""):
            PARSERS[fence[1]](fence[3])


def test_the_list_of_those_that_are_not_run_has_no_other(service: dict[str, Any]) -> None:
    for page, head in NOT_RUN:
        found = programs(page_text(page, service["baseUrl"]))
        assert any(one.code.startswith(head) for one in found), head


def test_the_readme_sets_both_variables(service: dict[str, Any], tmp_path: Path) -> None:
    start, variables, *_ = programs((ROOT / "README.md").read_text())
    assert start.code == "make run\n"
    (tmp_path / ".local").mkdir()
    (tmp_path / ".local/service.json").write_text(json.dumps({"apiKey": service["apiKey"]}))
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f'{variables.code}echo "$TOLLGATE_URL $TOLLGATE_API_KEY"'],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    assert ran.stdout == f"http://127.0.0.1:8080 {service['apiKey']}\n"
