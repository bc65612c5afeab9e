"""The container image runs what `make run` does. A machine with Docker builds it: `make image`."""

import json
import re

from local.machine import server
from local.template import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def test_it_starts_what_make_run_starts() -> None:
    (recipe,) = re.findall(r"^run: .*\n\t@exec \$\(PYTHON\) (.*?) \$\(if", MAKEFILE, re.MULTILINE)
    (command,) = re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)
    assert json.loads(command) == [".venv/bin/python", *recipe.replace("$(PORT)", "8080").split()]
    assert re.search(r"^PORT \?= 8080$", MAKEFILE, re.MULTILINE)


def test_it_prepares_what_make_run_needs() -> None:
    (needs,) = re.findall(r"^run: (.*?)  ##", MAKEFILE, re.MULTILINE)
    assert f"RUN make {needs} " in DOCKERFILE


def test_it_has_the_import_path_of_make_and_listens_on_all_addresses() -> None:
    (path,) = re.findall(r"^export PYTHONPATH := (\S+)$", MAKEFILE, re.MULTILINE)
    assert f"ENV {server.LISTEN}=0.0.0.0 PYTHONPATH={path}\n" in DOCKERFILE
