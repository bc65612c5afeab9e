"""What the audit takes for a secret or a conflict, and how it reads a report."""

import json
from pathlib import Path

import pytest

from local.template import ROOT
from local.upkeep.audit import NO_SOLUTION, AuditReport, files, read_report, secrets_in, unsolvable
from tollgate.accounts.keys import new_key

# Put together here, as this file is audited too.
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRST"


class TestSecrets:
    @pytest.mark.parametrize(
        ("begin", "kind"),
        [
            ("sk-ant-", "Anthropic key"),
            ("sk-proj-", "OpenAI key"),
            ("sk_live_", "Stripe key"),
            ("ghp_", "GitHub token"),
            ("xoxb-", "Slack token"),
            ("-----BEGIN RSA PRIVATE KEY-----\n", "private key"),
        ],
    )
    def test_live_keys_of_others(self, begin: str, kind: str) -> None:
        assert secrets_in(f'key = "{begin}{LETTERS}"') == [kind]

    def test_an_aws_key_but_for_the_one_in_aws_documents(self) -> None:
        assert secrets_in("AKIA" + LETTERS[36:52]) == ["AWS access key"]
        assert secrets_in("AKIA" + "IOSFODNN7EXAMPLE") == []

    def test_our_own_where_it_could_be_real(self) -> None:
        key = new_key().text
        assert secrets_in(f"Bearer {key}") == ["Tollgate key"]
        assert secrets_in(f"Bearer {key[:-1]}{'a' if key[-1] != 'a' else 'b'}") == []

    def test_words_about_keys_are_none(self) -> None:
        assert secrets_in("keys begin with sk-ant-… or tg_live_…, whsec_… and sk_test_51") == []

    def test_hidden_files_are_read_too(self) -> None:
        names = {str(file.relative_to(ROOT)) for file in files()}
        assert {".ci/run", ".github/workflows/pipeline.yml", ".gitignore", "README.md"} <= names


class TestRequirements:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        """Return a file of requirements."""
        file = tmp_path / "requirements.txt"
        file.write_text("one==1.0\n")
        return file

    @staticmethod
    def uv(folder: Path, code: int) -> str:
        """Return a program that ends like uv."""
        program = folder / "uv"
        program.write_text(f"#!/bin/sh\necho 'one needs two' >&2\nexit {code}\n")
        program.chmod(0o755)
        return str(program)

    def test_those_that_exclude_each_other_are_named_with_the_reason(self, file: Path) -> None:
        (found,) = unsolvable(self.uv(file.parent, NO_SOLUTION), [file, file.with_name("other.txt")])
        assert found.endswith("/requirements.txt: one needs two")

    @pytest.mark.parametrize("code", [0, 2])
    def test_no_fault_is_found_if_they_agree_or_without_an_index(self, file: Path, code: int) -> None:
        assert unsolvable(self.uv(file.parent, code), [file]) == []


class TestReport:
    def test_each_weakness_is_named_with_its_package(self) -> None:
        weak = {"name": "old", "version": "1.0", "vulns": [{"id": "PYSEC-1"}, {"id": "PYSEC-2"}]}
        report = {"dependencies": [weak, {"name": "good", "version": "2.0", "vulns": []}]}
        assert read_report(json.dumps(report)) == AuditReport(["old 1.0: PYSEC-1", "old 1.0: PYSEC-2"], [])

    def test_a_package_without_advisories_is_not_taken_for_a_good_one(self) -> None:
        report = {"dependencies": [{"name": "some", "skip_reason": "not found"}]}
        assert read_report(json.dumps(report)) == AuditReport([], ["some"])
