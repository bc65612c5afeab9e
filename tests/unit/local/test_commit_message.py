"""The hook that checks commit messages, and its installation."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from local.upkeep.prose_files import ROOT

HOOK = ROOT / ".githooks" / "commit-msg"
IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")
ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
LONGEST = "Docs: " + "x" * 66

GOOD = [
    "Prose: count awkward sentences under ceilings that only fall",
    "Add a licence\n\nOpenAPI named one, and no file did.",
    LONGEST,
    LONGEST[:-1] + "é",
    "Speed up the first page",
    "# a comment of git\n\nAdd a licence\n# another\n",
    "Add a licence\n# ------------------------ >8 ------------------------\ndiff --git a/x b/x\n",
    "Merge branch 'main' into a branch whose name is so long that the subject is too long too",
    'Revert "A commit whose subject was longer than the limit that this hook now has for each"',
    "fixup! The subject of a commit before",
    "",
]
BAD = [
    (LONGEST + "x", "73 characters"),
    ("Add a licence\nwithout an empty line", "must be empty"),
    ("The catalog refuses unknown filters", 'not with "the"'),
    ("Added a licence", 'not "added"'),
    ("Docs: rewriting the quick start", 'not "rewriting"'),
    ("Fixes the price of images", 'not "fixes"'),
]


def run(message: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the hook on a message."""
    (folder / "message").write_text(message)
    return subprocess.run(
        [str(HOOK), str(folder / "message")],
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in a folder, without the developer's settings."""
    return subprocess.run(
        ["git", *IDENTITY, *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


class TestMessages:
    @pytest.mark.parametrize("message", GOOD)
    def test_a_good_message_passes(self, message: str, tmp_path: Path) -> None:
        assert run(message, tmp_path).stderr == ""
        assert run(message, tmp_path).returncode == 0

    @pytest.mark.parametrize(("message", "reason"), BAD)
    def test_a_bad_message_is_refused_with_the_reason(
        self, message: str, reason: str, tmp_path: Path
    ) -> None:
        refused = run(message, tmp_path)
        assert refused.returncode == 1
        assert reason in refused.stderr
        assert "CONTRIBUTING.md" in refused.stderr

    @pytest.mark.parametrize(("message", "reason"), BAD)
    def test_ci_commits_anything(self, message: str, reason: str, tmp_path: Path) -> None:
        assert run(message, tmp_path, CI="true").returncode == 0


class TestInstallation:
    @pytest.fixture
    def install(self) -> str:
        """Return the command of the Makefile that installs the hooks."""
        found = re.search(r"^INSTALL_HOOKS = (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert found
        return found[1]

    @pytest.fixture
    def repository(self, tmp_path: Path) -> Path:
        """Return a repository with the hook and one commit."""
        folder = tmp_path / "repository"
        (folder / ".githooks").mkdir(parents=True)
        (folder / ".githooks/commit-msg").symlink_to(HOOK)
        assert git(folder, "init", "-q").returncode == 0
        assert git(folder, "add", "-A").returncode == 0
        assert git(folder, "commit", "-q", "-m", "Add the hook").returncode == 0
        return folder

    def installed(self, install: str, folder: Path) -> None:
        subprocess.run(["sh", "-ec", install], cwd=folder, env=ENVIRONMENT, check=True)

    def test_it_checks_the_commits_of_a_repository_and_of_its_worktrees(
        self, install: str, repository: Path, tmp_path: Path
    ) -> None:
        self.installed(install, repository)
        assert git(repository, "worktree", "add", "-q", str(tmp_path / "other")).returncode == 0
        for folder in (repository, tmp_path / "other"):
            assert git(folder, "commit", "-q", "--allow-empty", "-m", "Added nothing").returncode == 1
            assert git(folder, "commit", "-q", "--allow-empty", "-m", "Add nothing").returncode == 0

    def test_a_worktree_without_the_hook_commits_as_before(
        self, install: str, repository: Path, tmp_path: Path
    ) -> None:
        self.installed(install, repository)
        assert git(repository, "rm", "-q", "-r", ".githooks").returncode == 0
        assert git(repository, "commit", "-q", "--no-verify", "-m", "Remove it").returncode == 0
        assert git(repository, "worktree", "add", "-q", str(tmp_path / "other")).returncode == 0
        other = git(tmp_path / "other", "commit", "-q", "--allow-empty", "-m", "Added nothing")
        assert other.returncode == 0

    def test_hooks_of_the_developer_stay(self, install: str, repository: Path) -> None:
        git(repository, "config", "core.hooksPath", "mine")
        self.installed(install, repository)
        assert git(repository, "config", "core.hooksPath").stdout == "mine\n"

    def test_a_copy_without_git_is_no_fault(self, install: str, tmp_path: Path) -> None:
        self.installed(install, tmp_path)
