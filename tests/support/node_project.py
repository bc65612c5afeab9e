"""Node projects of tests: their packages are installed once for each lock file, and left out without npm."""

import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

from local.template import ROOT
from tests.support.missing import missing, needs

INSTALL_TIMEOUT_S = 300


def installed(project: Path) -> Path:
    """Return a copy of a project's folder that has its packages; skips the test where npm cannot."""
    needs("node", "npm")
    lock = sha256((project / "package-lock.json").read_bytes()).hexdigest()[:12]
    folder = Path(ROOT) / ".local/node" / lock
    folder.mkdir(parents=True, exist_ok=True)
    for file in project.iterdir():
        shutil.copy(file, folder / file.name)
    ready = folder / ".ready"
    if not ready.exists():
        command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False
        )
        if done.returncode:
            missing(f"npm cannot install {project.name}: {done.stderr.strip()[-200:]}")
        ready.touch()
    return folder
