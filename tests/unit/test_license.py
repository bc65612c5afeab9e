"""The licence: one file, and each package names it and ships it."""

import json
import tomllib

import pytest

from local.upkeep.prose_files import ROOT

LICENSE = (ROOT / "LICENSE").read_text()
PYTHON_PROJECTS = (".", "clients/python", "clients/mcp")
PACKAGES = ("clients/python", "clients/mcp", "clients/typescript")


class TestLicense:
    def test_the_file_is_the_mit_license(self) -> None:
        assert LICENSE.startswith("MIT License\n\nCopyright (c) 2026 The Tollgate authors\n")

    @pytest.mark.parametrize("folder", PACKAGES)
    def test_each_package_has_the_same_file(self, folder: str) -> None:
        assert (ROOT / folder / "LICENSE").read_text() == LICENSE

    @pytest.mark.parametrize("folder", PYTHON_PROJECTS)
    def test_each_python_project_names_it(self, folder: str) -> None:
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
        assert (project["license"], project["license-files"]) == ("MIT", ["LICENSE"])

    def test_the_npm_package_names_and_ships_it(self) -> None:
        package = json.loads((ROOT / "clients/typescript/package.json").read_text())
        assert package["license"] == "MIT"
        assert "LICENSE" in package["files"]

    @pytest.mark.parametrize("folder", [".", *PACKAGES])
    def test_each_readme_links_to_it(self, folder: str) -> None:
        assert "[MIT](LICENSE)" in (ROOT / folder / "README.md").read_text()
