"""What importing a handler does: nothing that a snapshot would keep, and nothing that it does not need."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT
from tests.unit.test_snapshots import STARTED
from tollgate.catalog.loader import compile_into

pytestmark = pytest.mark.aws

STEMS = sorted(path.parent.name for path in (ROOT / "functions").glob("*/app.py"))
OURS = (str(ROOT / "shared"), str(ROOT / "functions"))

# Notes what our own modules ask for while they are imported: the time, chance, the environment, clients.
WATCHED = """
import importlib, json, os, sys
found, ours, stems = [], tuple(json.loads(sys.argv[1])), json.loads(sys.argv[2])
STALE = {"time", "time_ns", "monotonic", "urandom", "getrandbits", "now", "utcnow", "getpid"}
CLIENTS = (".create_client", "Client.__init__", "ClientSession.__init__")

def watch(frame, event, arg):
    caller = frame if event == "c_call" else frame.f_back
    if event not in ("call", "c_call") or caller is None or not caller.f_code.co_filename.startswith(ours):
        return
    name = arg.__name__ if event == "c_call" else frame.f_code.co_qualname
    reads_environment = event == "call" and frame.f_locals.get("self") is os.environ
    if reads_environment or name in STALE or name.endswith(CLIENTS):
        found.append(f"{caller.f_code.co_filename}:{caller.f_lineno} {name}")

sys.setprofile(watch)
for stem in stems:
    importlib.import_module(f"{stem}.app")
sys.setprofile(None)
print(json.dumps(found))
"""

TAKES_INPUTS = {"admin", "api", "close_accounts", "dashboard", "refill_balance", "serve_mcp"}
"""What a customer or an operator sends is read by pydantic, and what Stripe answers."""

# All that is asked about one handler, in one process: its imports take most of the time. The modules come
# first, because the other questions import more. Some models of OpenAPI are always built.
LOADED = """
import gc, importlib, json, sys
importlib.import_module(f"{sys.argv[1]}.app")
started, modules = gc.get_threshold()[0], sorted(sys.modules)
snapshots = sys.modules.get("snapshot_restore_py")
hooks = [] if snapshots is None else [entry[0].__name__ for entry in snapshots.get_after_restore()]
classes = vars(importlib.import_module("fastapi.openapi.models")) if "fastapi" in modules else {}
built = [name for name, one in classes.items()
         if isinstance(one, type) and vars(one).get("__pydantic_complete__")]
if "tollgate.composition.parts" in modules:
    sys.modules["tollgate.composition.parts"].clock()
collector = [started, gc.get_threshold()[0], gc.get_freeze_count() > 10_000]
print(json.dumps({"modules": modules, "hooks": hooks, "built": built, "collector": collector}))
"""


# Every model as the workers have it, from what the build makes.
RUNNING = """
import json, sys
from pathlib import Path
from tollgate.catalog.loader import Catalog
from tollgate.providers.runtime.registry import MappingNames, providers
catalog = Catalog.shipped(Path(sys.argv[1]))
live = catalog.with_live(frozenset(providers()), MappingNames(), restrict_inputs=False)
assert len(live.media_models()) > 50 and len(live.text_models()) > 10
print(json.dumps(sorted(sys.modules)))
"""


def run(script: str, *arguments: str) -> Any:
    """Run a script in a process of its own, with no variables but the path; return the JSON it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={"PYTHONPATH": "functions:shared"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@cache
def imported(stem: str) -> dict[str, Any]:
    """Return the modules that are loaded after a handler was imported, the hooks of a restore, the models of
    OpenAPI that were built, and when the collector searches."""
    found: dict[str, Any] = run(LOADED, stem)
    return found


def loaded(stem: str) -> set[str]:
    """Return the modules that are loaded after a handler was imported."""
    return set(imported(stem)["modules"])


class TestSnapshots:
    def test_importing_the_handlers_makes_no_client_and_asks_for_neither_time_nor_chance(self) -> None:
        assert len(STEMS) == 21
        assert run(WATCHED, json.dumps(OURS), json.dumps(STEMS)) == []

    def test_what_is_watched_for_is_seen(self) -> None:
        culprit = "import os, sys, time; time.time(); os.environ.get('HOME'); os.urandom(1)"
        script = WATCHED.replace(
            'importlib.import_module(f"{stem}.app")', f'exec(compile({culprit!r}, ours[0], "exec"))'
        )
        seen = run(script, json.dumps(OURS), '["one"]')
        assert [line.split()[1] for line in seen] == ["time", "Mapping.get", "urandom"]

    @pytest.mark.parametrize("stem", STEMS)
    def test_one_hook_waits_for_a_restore_and_where_there_is_none_nothing_of_it_is_loaded(
        self, stem: str
    ) -> None:
        assert imported(stem)["hooks"] == (["reset_process"] if stem in STARTED else [])
        assert ("snapshot_restore_py" in loaded(stem)) is (stem in STARTED)


class TestLoadedModules:
    @pytest.mark.parametrize("stem", ["api", "sweep"])
    def test_no_http_client_no_adapter_and_no_parser_that_only_others_use(self, stem: str) -> None:
        strangers = {"boto3", "s3transfer", "httpx", "aiohttp", "yaml", "jinja2", "stripe", "av"}
        assert not strangers & loaded(stem)
        assert not {"tollgate.providers.runtime.http", "tollgate.providers.runtime.adapter"} & loaded(stem)

    @pytest.mark.parametrize("stem", STEMS)
    def test_no_provider_before_it_is_asked(self, stem: str) -> None:
        parts = (".mappings", ".media", ".facts", ".client")
        provided = {name for name in loaded(stem) if name.startswith("tollgate.providers.media.")}
        assert not {name for name in provided if name.endswith(parts)}

    @pytest.mark.parametrize("stem", ["dispatch_changes", "deliver_webhook", "record_usage", "check_ledger"])
    def test_what_runs_no_model_loads_no_catalog(self, stem: str) -> None:
        assert not {"tollgate.catalog.loader", "tollgate.catalog.kinds"} & loaded(stem)

    @pytest.mark.parametrize(
        "stem", ["run_task", "deliver_webhook", "refill_balance", "make_thumbnails", "dispatch_changes"]
    )
    def test_what_works_off_records_loads_no_event_classes_of_all_services(self, stem: str) -> None:
        powertools = "aws_lambda_powertools.utilities."
        assert not {powertools + "data_classes", powertools + "batch"} & loaded(stem)

    def test_signing_in_is_loaded_by_who_signs_in(self) -> None:
        assert not {"authlib", "joserfc", "cryptography", "httpx"} & loaded("dashboard")

    @pytest.mark.parametrize("stem", [stem for stem in STEMS if stem not in TAKES_INPUTS])
    def test_what_takes_no_input_does_without_pydantic(self, stem: str) -> None:
        assert not {"pydantic", "pydantic_core", "annotated_types"} & loaded(stem)

    def test_what_runs_tasks_reads_the_models_without_pydantic_too(self, tmp_path: Path) -> None:
        compile_into(str(tmp_path))
        assert not {"pydantic", "pydantic_core"} & set(run(RUNNING, str(tmp_path)))

    @pytest.mark.parametrize("stem", ["api", "dashboard"])
    def test_a_snapshot_has_what_checks_an_input(self, stem: str) -> None:
        assert {"tollgate.catalog.input_classes", "tollgate.catalog.checking"} <= loaded(stem)

    @pytest.mark.parametrize("stem", ["api", "dashboard", "admin"])
    def test_fastapi_builds_no_models_of_a_document_that_it_never_makes(self, stem: str) -> None:
        assert not {"OpenAPI", "Info", "Components", "SecurityScheme"} & set(imported(stem)["built"])

    def test_what_compares_costs_is_loaded_by_who_compares(self) -> None:
        assert not {"httpx", "tollgate.reconciliation.service"} & loaded("check_ledger")

    @pytest.mark.parametrize("stem", STEMS)
    def test_the_methods_of_dataclasses_are_looked_up_before_the_first_one(self, stem: str) -> None:
        assert "tollgate.kit.compiled_dataclasses" in loaded(stem)

    def test_text_has_no_sdk(self) -> None:
        assert not {"botocore.session", "fastapi", "yaml", "httpx", "stripe"} & loaded("text")

    @pytest.mark.parametrize("stem", ["probe_media", "draw_thumbnail"])
    def test_what_reads_files_has_neither_sdk_nor_catalog(self, stem: str) -> None:
        assert not {"botocore.session", "fastapi", "tollgate.catalog.loader"} & loaded(stem)

    def test_what_decodes_is_loaded_by_the_process_that_does_alone(self) -> None:
        assert not {"av", "PIL"} & loaded("draw_thumbnail")


PACKAGES = """
import gc, importlib, json, pkgutil
before = gc.get_threshold()
import tollgate
for found in pkgutil.iter_modules(tollgate.__path__):
    if found.name not in {"composition", "command", "__main__"}:
        importlib.import_module(f"tollgate.{found.name}")
print(json.dumps(gc.get_threshold() == before))
"""


class TestCollector:
    @pytest.mark.parametrize("stem", ["api", "dashboard", "run_task", "text"])
    def test_it_is_told_by_what_starts_a_process(self, stem: str) -> None:
        assert imported(stem)["collector"] == [200_000, 20_000, True]

    def test_it_is_told_by_no_other_import(self) -> None:
        assert run(PACKAGES)
