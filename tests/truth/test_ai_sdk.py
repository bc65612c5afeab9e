"""The AI SDK's packages and our adapters send the same, and read the same out of the answers."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT
from tests.truth.cases import Case, cases
from tests.truth.conftest import Checked
from tests.truth.wire import Ours, Sent, Vendor, some
from tests.unit.providers.support import KEY
from tollgate.providers.runtime.outcomes import Submitted

PROJECT = Path(ROOT) / ".local/truth-node"
SCRIPT = Path(ROOT) / "tests/truth/node/ai_sdk.mjs"
EACH = 12
JOB_ID = re.compile(r"\b[0-9a-f][0-9a-f-]{14,}")
TIMEOUT_S = 120


@dataclass(frozen=True)
class Call:
    """One call of a package: what it is given, and the fields of our body that it has no name for."""

    kind: str
    model: str
    options: dict[str, Any]
    unnamed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Package:
    """A package on npm: how a case is said to it, and what it sends besides, as its own choice."""

    name: str
    factory: str
    said: Callable[[Case], Call | None]
    added: frozenset[str] = frozenset()
    alike: Callable[[Any], Any] = dict
    """Returns a body in the one of two forms that the vendor takes for the same."""


def _url(address: str, **more: str) -> dict[str, str]:
    return {"type": "url", "url": address, **more}


def _without(body: Any, *names: str) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in names}


def _xai(case: Case) -> Call:
    body, options = case.body, {"prompt": case.body.get("prompt"), "aspectRatio": case.body["aspect_ratio"]}
    given = {name: body[name] for name in ("quality", "resolution") if name in body}
    options["providerOptions"] = {"xai": given}
    if "duration" not in body:
        image = [_url(body["image"]["url"])] if "image" in body else []
        return Call("image", case.upstream, {**options, "n": 1, "files": image})
    options["duration"] = body["duration"]
    if "image" in body:
        options["image"] = _url(body["image"]["url"])
    if "reference_images" in body:
        options["inputReferences"] = [_url(one["url"]) for one in body["reference_images"]]
    return Call("video", case.upstream, options)


def _bfl(case: Case) -> Call | None:
    body, model = case.body, case.upstream.removeprefix("v1/")
    if "mode" not in body:
        if "images" in body:
            return None  # it has the names of FLUX 1 and 2 for references
        options = {"prompt": body["prompt"], "aspectRatio": body["aspect_ratio"]}
        return Call("image", model, options, frozenset({"resolution", "grounding"}))
    given = {
        "resolution": body["resolution"],
        "aspectRatio": body["aspect_ratio"],
        "safetyTolerance": body["safety_tolerance"],
        "draft": body["draft"],
    }
    options = {"prompt": body.get("prompt"), "duration": body["duration"]}
    match body.get("keyframes", []):
        case [image]:
            options["image"] = _url(image)
        case [first, last]:
            ends = (("first_frame", first), ("last_frame", last))
            options["frameImages"] = [{"frameType": kind, "image": _url(image)} for kind, image in ends]
        case [_, *_] as several:
            given["keyframes"] = several
    return Call("video", model, {**options, "providerOptions": {"blackForestLabs": given}})


def _replicate(case: Case) -> Call | None:
    if "prompt" not in case.body:
        return None  # it always sends a prompt
    options = {"prompt": case.body.get("prompt"), "aspectRatio": case.body.get("aspect_ratio")}
    options["providerOptions"] = {"replicate": _without(case.body, "prompt", "aspect_ratio")}
    return Call("video" if "duration" in case.body else "image", case.upstream, options)


_ARK_NAMES = {
    "watermark": "watermark",
    "camera_fixed": "cameraFixed",
    "return_last_frame": "returnLastFrame",
    "generate_audio": "generateAudio",
    "output_format": "outputFormat",
    "sequential_image_generation": "sequentialImageGeneration",
}


def _ark(case: Case) -> Call:
    body = case.body
    return _ark_video(case, body) if "content" in body else _ark_image(case, body)


def _ark_image(case: Case, body: Mapping[str, Any]) -> Call:
    given = {_ARK_NAMES[name]: value for name, value in body.items() if name in _ARK_NAMES}
    if "optimize_prompt_options" in body:
        given["optimizePromptMode"] = body["optimize_prompt_options"]["mode"]
    files = [_url(address) for address in body.get("image", [])]
    options = {"prompt": body["prompt"], "files": files, "providerOptions": {"bytedance": given}}
    # Pixels, or a tier.
    (options if "x" in body["size"] else given)["size"] = body["size"]
    return Call("image", case.upstream, options)


def _ark_video(case: Case, body: Mapping[str, Any]) -> Call:
    top = {"content", "ratio", "duration", "resolution", "seed"}
    # What it has no name for, it passes on.
    given = {_ARK_NAMES.get(name, name): value for name, value in body.items() if name not in top}
    if given.get("outputFormat"):
        given["output_format"] = given.pop("outputFormat")
    named = {"ratio": "aspectRatio", "duration": "duration", "resolution": "resolution", "seed": "seed"}
    options: dict[str, Any] = {named[name]: body[name] for name in named if name in body}
    frames, references = [], []
    for part in body["content"]:
        address = part[part["type"]]["url"] if part["type"] != "text" else ""
        match part.get("role"):
            case None:
                options["prompt"] = part["text"]
            case "first_frame" | "last_frame" as role:
                frames.append({"frameType": role, "image": _url(address)})
            case "reference_audio":
                given.setdefault("referenceAudio", []).append(address)
            case _:
                kind = part["type"].removesuffix("_url")
                references.append(_url(address, mediaType="video/mp4" if kind == "video" else "image/png"))
    lists = {"frameImages": frames, "inputReferences": references}
    return Call("video", case.upstream, {**options, **lists, "providerOptions": {"bytedance": given}})


def _as_byte_dance(body: Any) -> Any:
    """Return a body whose only frame does not say that it is the first, and without a seed of 0.

    The package leaves a seed of 0 out, because it takes 0 for none.
    """
    body = body if body.get("seed") else _without(body, "seed")
    parts = body.get("content", [])
    if any(part.get("role") == "last_frame" for part in parts):
        return body
    lone = [_without(part, "role") if part.get("role") == "first_frame" else part for part in parts]
    return {**body, **({"content": lone} if parts else {})}


PACKAGES = {
    # It takes the image inside the answer; we take its address.
    "xai": Package("@ai-sdk/xai", "createXai", _xai, frozenset({"n", "response_format"})),
    "bfl": Package("@ai-sdk/black-forest-labs", "createBlackForestLabs", _bfl),
    "ark": Package(
        "@ai-sdk/bytedance", "createByteDance", _ark, frozenset({"response_format"}), _as_byte_dance
    ),
    "replicate": Package("@ai-sdk/replicate", "createReplicate", _replicate),
}


def _called(package: Package, vendor: Vendor, calls: Iterable[Call]) -> list[dict[str, Any]]:
    """Return what each call sent and read, by one process of node."""
    asked = {
        "package": package.name,
        "factory": package.factory,
        "key": KEY,
        "own": vendor.declared.base_url,
        "simulated": vendor.simulated,
        "calls": [{"kind": call.kind, "model": call.model, "options": call.options} for call in calls],
    }
    # As text, so that the packages are looked for where they are installed.
    command = ["node", "--input-type=module", "--eval", SCRIPT.read_text()]
    done = subprocess.run(
        command,
        cwd=PROJECT,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def _noted(vendor: Vendor, requests: list[dict[str, Any]]) -> list[Sent]:
    vendor.take()
    for one in requests:
        vendor.note(one["method"], one["url"], one["headers"], one["body"])
    return vendor.take()


def _fields(sent: Sent, package: Package, left_out: frozenset[str]) -> Sent:
    return Sent(sent.method, sent.url, sent.key, package.alike(_without(sent.body, *left_out)))


def _place(sent: Sent) -> tuple[str, str, str | None]:
    """Return a poll's method, address and key, without the id of the job, which is another for each."""
    return sent.method, JOB_ID.sub("id", sent.url), sent.key


@pytest.mark.skipif(
    shutil.which("node") is None or not (PROJECT / "node_modules/@ai-sdk").exists(),
    reason="`make provider-truth` installs the packages where npm is",
)
@pytest.mark.parametrize("provider", PACKAGES)
def test_the_package_and_our_adapter_send_and_read_the_same(
    provider: str, simulator_url: str, checked: Checked
) -> None:
    vendor, package = Vendor(provider, simulator_url), PACKAGES[provider]
    ours = Ours(vendor)
    pairs = [(case, call) for case in some(cases(provider), EACH) if (call := package.said(case))]
    answers = _called(package, vendor, [call for _, call in pairs])
    for (case, call), answer in zip(pairs, answers, strict=True):
        sent, outcome = ours.submit(case)
        assert answer["error"] is None, (case.body, answer)
        theirs, *asked = _noted(vendor, answer["sent"])
        left_out = package.added | call.unnamed
        assert _fields(theirs, package, left_out) == _fields(sent, package, left_out)
        polls, done = ours.poll(outcome) if isinstance(outcome, Submitted) else ([], outcome)
        assert {_place(one) for one in asked} == {_place(one) for one in polls}
        # The last frame of a video, which we take as well, is no file to it.
        assert 0 < answer["files"] <= len(done.files)
        checked(provider, package.name)
