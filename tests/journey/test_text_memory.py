"""The memory of the text function with the largest bodies that it takes, each in a process of its own."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.template import ROOT, Template
from tests.journey.test_text_process import variables
from tests.support.text_app import USD, TextClient
from tests.support.web_adapter import adapted
from tollgate.catalog.loader import DATA, compile_into
from tollgate.text.body.json_body import MAX_BODY_BYTES, MAX_VALUES

__all__ = ["variables"]

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("ministack"),
    pytest.mark.skipif(sys.platform != "linux", reason="/proc"),
]

SPARE_MB = 60
"""For the web adapter, which holds a body too, and for what another processor takes more (INFERRED)."""
LARGE = MAX_BODY_BYTES - 500
VALUES_IN_A_MESSAGE, OTHER_VALUES = 3, 20


def chat(model: str, *messages: Any, **more: Any) -> bytes:
    """Return the body of a chat, as its characters are."""
    body = {"model": model, "messages": messages, "max_tokens": 10, **more}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def said(text: str) -> dict[str, str]:
    """Return a message."""
    return {"role": "user", "content": text}


MANY = [said("x")] * ((MAX_VALUES - OTHER_VALUES) // VALUES_IN_A_MESSAGE)
OBJECTS = [{"a": number} for number in range((MAX_VALUES - OTHER_VALUES) // 2)]
SCHEMA = {"type": "object", "examples": OBJECTS}
FORMAT = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
BODIES = {
    "a chat": chat("gpt-5.4-mini", said("hello")),
    "a long text": chat("gpt-5.4-mini", said("a" * LARGE)),
    # One such character, and Python takes four bytes for each of the others.
    "a long text with an emoji": chat("gpt-5.4-mini", said("a" * LARGE + "🌊")),
    "the same, translated": chat("claude-haiku-4-5", said("a" * LARGE + "🌊")),
    "many messages, translated": chat("claude-haiku-4-5", *MANY),
    # The largest response. A stream has an event for each image.
    "a large image": chat("gemini-3-pro-image", said("[[large-images]]"), max_tokens=2_000),
    "large images, streamed": chat(
        "gemini-3-pro-image", said("[[large-images]] [[images 3]]"), max_tokens=4_000, stream=True
    ),
    "many objects": chat("gpt-5.4-mini", said("x"), response_format=FORMAT),
}


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the package as the build lays it. Its catalog is compiled: the files take 16 MB more to read."""
    shared = Path(shutil.copytree(ROOT / "shared", tmp_path_factory.mktemp("layer"), dirs_exist_ok=True))
    compile_into(str(shared / DATA.relative_to(ROOT / "shared")))
    return shared


@pytest.mark.parametrize("name", BODIES)
def test_there_is_room_for_the_worst_of_bodies(
    name: str,
    template: Template,
    variables: dict[str, str],
    layer: Path,
    open_client: Callable[[int], TextClient],
    tmp_path: Path,
) -> None:
    made = template.functions()["TextFunction"]
    program, key = ROOT / "functions" / made["Handler"], open_client(USD).account.api_key
    with adapted(program, {**variables, "PYTHONPATH": str(layer)}, tmp_path / "text.log") as function:
        headers = {**function.headers, "authorization": f"Bearer {key}"}
        url = f"{function.url}/api/v1/chat/completions"
        answer = httpx.post(url, content=BODIES[name], headers=headers, timeout=100)
        # The simulated provider takes no body as large as ours: it was sent there, and answered.
        assert answer.status_code in (200, 413), answer.text
        assert "payload_too_large" not in answer.text
        assert "large" not in name or "image" not in name or '"images"' in answer.text
        most_mb = peak_mb(function.process.pid)
    assert most_mb <= made["MemorySize"] - SPARE_MB


def peak_mb(pid: int) -> int:
    """Return the most memory that a process had so far."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith("VmHWM:"))
    return -(-int(line.split()[1]) // 1024)
