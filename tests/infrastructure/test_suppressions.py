"""What the linters of the template are told to pass over, each with its reason beside it."""

import re

import pytest

from local.template import ROOT


class TestSuppressions:
    @pytest.mark.parametrize(
        ("file", "rule"), [(".checkov.yaml", r"CKV\w+"), (".cfnlintrc.yaml", r"[EWI]\d+")]
    )
    def test_every_one_has_its_reason(self, file: str, rule: str) -> None:
        lines = (ROOT / file).read_text().splitlines()
        passed_over = [number for number, line in enumerate(lines) if re.match(rf"  - {rule}\b", line)]
        assert passed_over
        for number in passed_over:
            beside, above = lines[number].partition("#")[2], lines[number - 1].partition("#")[2]
            assert len(beside or above) > 20, lines[number]

    def test_all_rules_of_the_linter_are_on(self) -> None:
        assert "include_checks: [I]" in (ROOT / ".cfnlintrc.yaml").read_text()
