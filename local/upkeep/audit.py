"""`make audit`: finds secrets in files, packages that exclude each other, and known vulnerabilities.

Packages exclude each other if no version of a third package suits both. Vulnerabilities of the deployed
packages come from the package index's advisories. Many mirrors have none. Their packages are then listed as
not audited, which is not a failure, because a check must work without a network.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from local.template import ROOT
from tollgate.accounts.keys import key_id_of

PIP_AUDIT = "pip-audit==2.10.1"
TIMEOUT_S = 300
NO_SOLUTION = 1
"""uv's exit code for requirements that no set of packages meets. It is 2 if the index cannot be reached."""
MAX_FILE_BYTES = 2 * 1024 * 1024
"""A larger file is not text of this repository."""

# The prefixes of live keys, by issuer. Keys without a recognisable form cannot be found.
SECRETS: Mapping[str, re.Pattern[str]] = {
    "AWS access key": re.compile(r"\b(?:AKIA|ASIA)(?!IOSFODNN7EXAMPLE)[0-9A-Z]{16}\b"),
    "private key": re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/]{40}"),
    "Anthropic key": re.compile(r"\bsk-ant-[A-Za-z0-9_-]{40,}"),
    "OpenAI key": re.compile(r"\bsk-(?:proj-)?[A-Za-z0-9]{40,}"),
    "Google key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    "Stripe key": re.compile(r"\b[sr]k_live_[0-9A-Za-z]{20,}"),
    "GitHub token": re.compile(r"\b(?:ghp|gho|ghs|github_pat)_[0-9A-Za-z_]{30,}"),
    "Slack token": re.compile(r"\bxox[abprs]-[0-9A-Za-z-]{20,}"),
}
_OUR_KEY = re.compile(r"tg_live_[0-9A-Z]{26}_[0-9A-Za-z]{39}")
_MADE_UP = "EXAMP"
"""The examples in this repository contain it in their id. A real ULID does not contain it here."""


def secrets_in(text: str) -> list[str]:
    """Return the kinds of secrets in a text. Tollgate's keys count only if their checksum is right."""
    found = [kind for kind, pattern in SECRETS.items() if pattern.search(text)]
    ours = (match[0] for match in _OUR_KEY.finditer(text) if _MADE_UP not in match[0])
    return [*found, *(["Tollgate key"] if any(map(key_id_of, ours)) else [])]


def secrets_of(paths: Iterable[Path]) -> list[str]:
    """Return `file: kind` for each secret in files."""
    found = []
    for file in paths:
        if file.is_file() and file.stat().st_size <= MAX_FILE_BYTES:
            text = file.read_text(errors="replace")
            found += [f"{file.relative_to(ROOT)}: {kind}" for kind in secrets_in(text)]
    return found


def files() -> list[Path]:
    """Return the files of the repository, including hidden and untracked files."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def unsolvable(uv: str, paths: Iterable[Path]) -> list[str]:
    """Return `file: reason` for each `requirements.txt` of `paths` that cannot be installed."""
    found = []
    for file in paths:
        if file.name == "requirements.txt":
            solve = [uv, "pip", "compile", "-q", "-o", os.devnull, str(file)]
            solved = subprocess.run(solve, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
            if solved.returncode == NO_SOLUTION:
                found.append(f"{os.path.relpath(file, ROOT)}: {solved.stderr.strip()}")
    return found


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of an audit: `package version: advisory` per vulnerability, and packages without data."""

    weak: list[str]
    unknown: list[str]


def run_pip_audit(uv: str) -> AuditReport | None:
    """Audit the deployed packages; `None` if the index cannot be reached."""
    with TemporaryDirectory() as folder:
        packages, report = Path(folder) / "requirements.txt", Path(folder) / "report.json"
        deployed = ["--no-dev", "--group", "extra", "--no-emit-project"]
        export = ["export", "-q", "--frozen", *deployed, "-o", str(packages)]
        subprocess.run([uv, *export], cwd=ROOT, check=True, capture_output=True, timeout=TIMEOUT_S)
        audit = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "-f", "json"]
        subprocess.run(
            [uv, "tool", "run", "-q", PIP_AUDIT, *audit, "-r", str(packages), "-o", str(report)],
            cwd=ROOT,
            capture_output=True,
            check=False,
            timeout=TIMEOUT_S,
        )
        # Its exit code is the same for a vulnerability and a network error. Only the first writes a report.
        return read_report(report.read_text()) if report.exists() else None


def read_report(text: str) -> AuditReport:
    """Return the result from a report of pip-audit."""
    packages = json.loads(text)["dependencies"]
    weak = [
        f"{package['name']} {package['version']}: {found['id']}"
        for package in packages
        for found in package.get("vulns", [])
    ]
    return AuditReport(weak, [package["name"] for package in packages if "skip_reason" in package])


def main(uv: str) -> int:
    """Audit, print the result, and return the exit code."""
    paths = files()
    found = secrets_of(paths) + unsolvable(uv, paths)
    packages = run_pip_audit(uv)
    if packages is None or packages.unknown:
        count = "all" if packages is None else len(packages.unknown)
        print(f"Not audited, because no advisories can be read from here: {count} packages")
    found += [] if packages is None else packages.weak
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
