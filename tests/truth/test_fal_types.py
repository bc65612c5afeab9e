"""What is sent to fal compiles against the types of inputs in its client (`endpoints.d.ts`)."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from local.template import ROOT
from tests.truth.cases import Case, cases
from tests.truth.conftest import Checked

PROJECT = Path(ROOT) / ".local/truth-node"
ENDPOINTS = PROJECT / "node_modules/@fal-ai/client/src/types/endpoints.d.ts"
OPTIONS = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler"]
TIMEOUT_S = 120
MISTYPED = {"fal-ai/sync-lipsync/v2"}
"""Endpoints with the type of another one of the same name. fal's llms.txt has the models of lipsync-2."""


def _typed() -> tuple[str, list[Case]]:
    """Return the types, and the cases of endpoints that have one."""
    # Numbers of an enum are texts in these types; fal's pages of its models have them as numbers.
    types = re.sub(r'"(\d+)"(?= \||;)', r'"\1" | \1', ENDPOINTS.read_text())
    endpoints = set(re.findall(r'^    "([^"]+)": \{$', types, re.MULTILINE))
    return types, [case for case in cases("fal") if case.upstream in endpoints - MISTYPED]


def _compiled(folder: Path, types: str, bodies: list[tuple[str, object]]) -> str:
    lines = [
        f"export const body_{number}: EndpointTypeMap[{json.dumps(endpoint)}]['input'] = {json.dumps(body)};"
        for number, (endpoint, body) in enumerate(bodies)
    ]
    (folder / "endpoints.d.ts").write_text(types)
    (folder / "bodies.ts").write_text(
        "\n".join(['import type { EndpointTypeMap } from "./endpoints";', *lines])
    )
    command = [str(PROJECT / "node_modules/.bin/tsc"), *OPTIONS, "bodies.ts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return done.stdout + done.stderr


@pytest.mark.skipif(not ENDPOINTS.exists(), reason="`make provider-truth` installs fal's types where npm is")
class TestTypes:
    def test_every_body_of_a_typed_endpoint_compiles(self, tmp_path: Path, checked: Checked) -> None:
        types, typed = _typed()
        said = _compiled(tmp_path, types, [(case.upstream, case.body) for case in typed])
        assert said == ""
        assert len({case.upstream for case in typed}) > 20
        checked("fal", "@fal-ai/client", len(typed))

    def test_what_does_not_fit_is_found(self, tmp_path: Path) -> None:
        types, _ = _typed()
        edit = "fal-ai/wan/v2.7/edit-video"
        said = _compiled(
            tmp_path,
            types,
            [
                (edit, {"video_url": "https://a.test/v.mp4"}),
                (edit, {"prompt": "x", "video_url": "y", "z": 1}),
            ],
        )
        assert "'prompt' is missing" in said
        assert "'\"z\"' does not exist" in said
