"""One release number: the service, the packages, the pages and the changelog share it."""

import json
import re
import tomllib
from datetime import date

import pytest

from local.upkeep.prose_files import ROOT
from tollgate.kit.version import API_VERSION, VERSION

CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
FOR_CUSTOMERS = (ROOT / "shared/tollgate/reference/site/changelog.md").read_text()


class TestRelease:
    @pytest.mark.parametrize("folder", [".", "clients/python", "clients/mcp"])
    def test_the_python_projects_have_it(self, folder: str) -> None:
        assert tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]["version"] == VERSION

    def test_the_npm_package_has_it(self) -> None:
        assert json.loads((ROOT / "clients/typescript/package.json").read_text())["version"] == VERSION

    @pytest.mark.parametrize(
        "file", ["clients/python/src/tollgate_client/wire.py", "clients/typescript/src/transport.ts"]
    )
    def test_the_clients_send_it(self, file: str) -> None:
        found = re.search(r'VERSION = "([^"]+)"', (ROOT / file).read_text())
        assert found
        assert found[1] == VERSION

    def test_the_changelog_names_it(self) -> None:
        assert f"The release is {VERSION};" in CHANGELOG.partition("\n## ")[0]

    @pytest.mark.parametrize("changelog", [CHANGELOG, FOR_CUSTOMERS], ids=["operators", "customers"])
    def test_the_sections_of_a_changelog_are_dated(self, changelog: str) -> None:
        _, *sections = re.split(r"^## ", changelog, flags=re.MULTILINE)
        days = [date.fromisoformat(section.partition("\n")[0]) for section in sections]
        assert days == sorted(set(days), reverse=True)

    def test_the_version_of_the_api_is_the_contracts(self) -> None:
        assert (
            f"the OpenAPI document has version `{API_VERSION}`"
            in (ROOT / "shared/tollgate/reference/site/conventions.md").read_text()
        )
