"""Every provider's page says whose code its requests were checked by, or what it rests on instead."""

import json
from pathlib import Path

import pytest

from tests.truth import report


@pytest.mark.parametrize("provider", report.pages())
def test_a_page_says_what_the_last_run_found(provider: str) -> None:
    lines = (report.PAGES / f"{provider}.md").read_text().splitlines()
    assert lines[2] == report.line(provider), (
        "run `make provider-truth`; if the vendor has no client, write the line by hand (CONTRIBUTING.md)"
    )


def test_who_has_no_client_in_a_registry_says_what_its_facts_rest_on() -> None:
    said = {provider for provider in report.pages() if report.basis(provider)}
    assert set(report.pages()) - report.read().keys() == said
    assert all(count > 0 for rows in report.read().values() for _, _, count in rows)


def test_a_run_without_npm_keeps_what_packages_on_npm_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "checked.json"
    data.write_text(json.dumps([["replicate", "replicate", "0", 1], ["xai", "@ai-sdk/xai", "0", 7]]))
    monkeypatch.setattr(report, "DATA", data)
    report.write([("bedrock", "boto3", 2)])
    assert [(row[0], row[1], row[3]) for row in json.loads(data.read_text())] == [
        ("bedrock", "boto3", 2),
        ("xai", "@ai-sdk/xai", 7),
    ]
