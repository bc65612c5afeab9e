"""A process that SnapStart restores: nothing in it is older than its restore.

Lambda's own client of its runtime calls the hooks (`awslambdaric.bootstrap.on_init_complete`). Where it waits
for the restore, the process is forked: that is what a snapshot is, one memory and several that go on with it.
"""

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from local.template import ROOT, read_template

FUNCTIONS = read_template().functions()
STARTED = sorted(str(each["Handler"]).partition(".")[0] for each in FUNCTIONS.values() if "SnapStart" in each)
RESTORES = 2
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Lambda's client of its runtime is for Linux")

# Joins its parts before the snapshot, which no handler does: so there is something that could stay.
RESTORED = """
import importlib, json, os, random, sys, time
stem, restores = sys.argv[1], int(sys.argv[2])
importlib.import_module(f"{stem}.app")

from awslambdaric import bootstrap
from tollgate.composition import parts
from tollgate.kit.aws import sdk
from tollgate.kit.ids import new_id
from tollgate.kit.settings import Settings

joined = getattr(importlib.import_module(f"tollgate.composition.{stem}"), stem)

def signed_by():
    return sdk.s3().generate_presigned_url("get_object", Params={"Bucket": "b", "Key": "k"})

def state():
    return {"key": "BEFORE" in signed_by(), "origin": parts.cors_headers()["access-control-allow-origin"]}

before, old = state(), [joined(), joined().authenticator, joined().meter, sdk.s3(), sdk.dynamodb()]
random.random()
asked_ms = parts.clock().now_ms()

class Runtime:
    # What Lambda's service is to its client: it answers when a process was made of the snapshot.
    def restore_next(self):
        for _ in range(restores):
            time.sleep(0.01)
            chance = random.getstate()
            if os.fork() == 0:
                # Python seeds anew after a fork; a snapshot is none.
                random.setstate(chance)
                os.environ.update(AWS_ACCESS_KEY_ID="AFTER", ALLOWED_ORIGIN="https://after.test")
                return
            os.wait()
        os._exit(0)

bootstrap.on_init_complete(Runtime(), None)
new = [joined(), joined().authenticator, joined().meter, sdk.s3(), sdk.dynamodb()]
print(json.dumps({
    "before": before,
    "after": state(),
    "kept": [type(a).__name__ for a, b in zip(old, new) if a is b],
    "chance": random.random(),
    "id": new_id("task"),
    "later_ms": parts.clock().now_ms() - asked_ms,
}), flush=True)
"""


def variables() -> dict[str, str]:
    """Return all that a function with SnapStart is told, as it was when its version was published."""
    names = {name for function in FUNCTIONS for name in read_template().variables(function)}
    told = dict.fromkeys(names, "https://told.test")
    told |= {"STAGE": "dev", "REQUESTS_PER_MINUTE": "60", "STRIPE_TAX": "false"}
    told |= {"ALLOWED_ORIGIN": "https://before.test"}
    told |= {"LOG_LEVEL": "INFO", "POWERTOOLS_LOG_LEVEL": "INFO"}
    told |= {"AWS_ACCESS_KEY_ID": "BEFORE", "AWS_SECRET_ACCESS_KEY": "s", "AWS_DEFAULT_REGION": "us-east-1"}
    return told


def run(script: str, *arguments: str) -> list[Any]:
    """Run a script in a process of its own; return what it prints, line by line."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, *arguments],
        env={**variables(), "PYTHONPATH": "functions:shared", "PATH": os.environ["PATH"]},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@cache
def restored(stem: str) -> list[Any]:
    """Return what is found in the processes that were made of one snapshot."""
    found = run(RESTORED, stem, str(RESTORES))
    assert len(found) == RESTORES
    return found


def test_the_functions_that_have_it() -> None:
    assert STARTED == ["api"]


@pytest.mark.parametrize("stem", STARTED)
class TestRestored:
    def test_no_part_and_no_client_is_of_before(self, stem: str) -> None:
        assert [one["kept"] for one in restored(stem)] == [[], []]

    def test_credentials_and_settings_are_those_of_now(self, stem: str) -> None:
        for one in restored(stem):
            assert one["before"] == {"key": True, "origin": "https://before.test"}
            assert one["after"] == {"key": False, "origin": "https://after.test"}

    def test_each_has_a_chance_of_its_own(self, stem: str) -> None:
        assert len({one["chance"] for one in restored(stem)}) == RESTORES
        assert len({one["id"] for one in restored(stem)}) == RESTORES

    def test_the_time_went_on(self, stem: str) -> None:
        assert all(one["later_ms"] >= 10 for one in restored(stem))
