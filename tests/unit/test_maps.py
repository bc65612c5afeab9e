"""Each package has a map of its modules, and docs/architecture.md names every package and function."""

import ast
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
# Every provider's folder has the same modules; CONTRIBUTING.md says which.
ALIKE = SHARED / "tollgate/providers/media"
APPS = sorted((SHARED.parent / "functions").glob("*/app.py"))
PACKAGES = sorted(
    init.parent for init in (SHARED / "tollgate").rglob("__init__.py") if ALIKE not in init.parent.parents
)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.relative_to(SHARED).as_posix())
def test_a_map_names_what_is_in_its_room(package: Path) -> None:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    named = set(re.findall(r"[\w*]+\.py\b", text))
    modules = {path.name for path in package.glob("*.py")} - {"__init__.py"}
    assert {module for module in modules if not any(fnmatchcase(module, name) for name in named)} == set()
    folders = {f"{path.parent.name}/" for path in package.glob("*/__init__.py") if package != ALIKE}
    assert {folder for folder in folders if folder not in text} == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.relative_to(SHARED).as_posix())
def test_a_map_names_no_module_that_is_gone(package: Path) -> None:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    named = re.findall(r"[\w*/]+\.py\b", text)
    assert [name for name in named if not any(SHARED.rglob(name))] == []


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.parent.name)
def test_a_functions_map_names_its_modules_and_none_that_is_gone(app: Path) -> None:
    text = ast.get_docstring(ast.parse(app.read_text())) or ""
    named = set(re.findall(r"(?<![\w/])\w+\.py\b", text))
    modules = {path.name for path in app.parent.glob("*.py")} - {"app.py", "run.py"}
    assert modules - named == set()
    assert named <= {path.name for path in app.parent.rglob("*.py")}


def test_the_architecture_page_names_every_function_and_every_package() -> None:
    page = (SHARED.parent / "docs/architecture.md").read_text()
    functions = {path.parent.name for path in (SHARED.parent / "functions").glob("*/app.py")}
    packages = {path.parent.name for path in (SHARED / "tollgate").glob("*/__init__.py")}
    assert {name for name in functions | packages if not re.search(rf"`{name}[`/]", page)} == set()
