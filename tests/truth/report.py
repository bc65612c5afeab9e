"""What was checked by whom: the data file, the table, and the line that each provider's page has."""

import json
from collections import defaultdict
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from local.template import ROOT

DATA = Path(ROOT) / "tests/truth/checked.json"
PAGES = Path(ROOT) / "docs/providers"
MARK = "Checked by"
UNCHECKED = f"{MARK}: no vendor's code. The facts are from "
"""What the line begins with where there is no client to run; what its facts rest on stands behind it."""
AI_SDK = "@ai-sdk/"
"""Packages that are not the vendors', but that many use to call them."""
NOT_PROVIDERS = frozenset({"README", "test"})


def pages() -> list[str]:
    """Return the names of the pages about providers."""
    return sorted(page.stem for page in PAGES.glob("*.md") if page.stem not in NOT_PROVIDERS)


def read() -> Mapping[str, list[tuple[str, str, int]]]:
    """Return package, version and requests compared, by provider, as the last run found them."""
    found: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for provider, package, at, count in json.loads(DATA.read_text()):
        found[provider].append((package, at, count))
    return found


def write(rows: list[tuple[str, str, int]]) -> None:
    """Write what a run counted, with the versions that were installed for it.

    What an earlier run found with packages on npm stays where this one had no npm.
    """
    npm = json.loads((Path(ROOT) / "tests/truth/node/package.json").read_text())["dependencies"]
    found: list[list[str | int]] = [
        [provider, package, _version(package, npm), count] for provider, package, count in rows
    ]
    ran = {package for _, package, _ in rows}
    if ran.isdisjoint(npm):
        found += [row for row in json.loads(DATA.read_text()) if row[1] in npm]
    DATA.write_text("[\n" + ",\n".join(f"  {json.dumps(row)}" for row in sorted(found)) + "\n]\n")


def _version(package: str, npm: Mapping[str, str]) -> str:
    try:
        return npm.get(package) or version(package)
    except PackageNotFoundError:
        return "?"


def basis(provider: str) -> str:
    """Return what a page says that its facts rest on, as people wrote it; empty where it says nothing."""
    third = [*(PAGES / f"{provider}.md").read_text().splitlines(), "", "", ""][2]
    return third.removeprefix(UNCHECKED).removesuffix(".") if third.startswith(UNCHECKED) else ""


def line(provider: str) -> str:
    """Return the line of a provider's page."""
    checked = read().get(provider)
    if not checked:
        return f"{UNCHECKED}{basis(provider)}."
    said = "; ".join(f"`{package}` {at} ({count} requests)" for package, at, count in checked)
    return f"{MARK} {_whose([package for package, _, _ in checked])}, `make provider-truth`: {said}."


def _whose(packages: list[str]) -> str:
    independent = [package.startswith(AI_SDK) for package in packages]
    own = [] if all(independent) else ["the vendor's own code"]
    return " and ".join([*own, *(["the AI SDK's packages"] if any(independent) else [])])


def table() -> str:
    """Return the table of all providers, for people."""
    rows = ["| Provider | Checked by | Version | Requests |", "|---|---|---|---|"]
    for provider in pages():
        for package, at, count in read().get(provider, [(f"– ({basis(provider)})", "", 0)]):
            rows.append(f"| {provider} | {package} | {at} | {count or ''} |")
    return "\n".join(rows)


def update_pages() -> None:
    """Write the line into each page: below its title, in place of the one that is there."""
    for provider in pages():
        page = PAGES / f"{provider}.md"
        title, *rest = page.read_text().split("\n")
        while rest and (not rest[0] or rest[0].startswith(MARK)):
            rest.pop(0)
        page.write_text("\n".join([title, "", line(provider), "", *rest]))
