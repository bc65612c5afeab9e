"""The vendors' own Python clients and our adapters send the same, and read the same out of the answers."""

from typing import Any

import dashscope
import fal_client
import httpx
import openai
import pytest
import replicate
import requests
from byteplussdkarkruntime import Ark
from byteplussdkarkruntime.types.images.images import OptimizePromptOptions
from dashscope.aigc.image_generation import ImageGeneration
from dashscope.aigc.video_synthesis import VideoSynthesis
from google import genai
from google.genai import types as genai_types

from tests.truth.cases import Case, cases
from tests.truth.conftest import Checked
from tests.truth.wire import Ours, Sent, Vendor, some, urls
from tests.unit.providers.support import KEY
from tollgate.providers.runtime.outcomes import Submitted


@pytest.fixture
def vendor(provider: str, simulator_url: str) -> Vendor:
    return Vendor(provider, simulator_url)


@pytest.fixture
def ours(vendor: Vendor) -> Ours:
    return Ours(vendor)


def of(provider: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("provider", [provider])


@of("fal")
def test_fal(vendor: Vendor, ours: Ours, checked: Checked) -> None:
    client = fal_client.SyncClient(key=KEY)
    client.__dict__["_client"] = httpx.Client(transport=vendor, headers={"authorization": f"Key {KEY}"})
    for case in some(cases("fal"), 2):
        sent, outcome = ours.submit(case)
        handle = client.submit(case.upstream, case.body)
        assert vendor.take() == [sent]
        polls, done = ours.poll(outcome)
        assert isinstance(handle.status(), fal_client.Completed)
        result = handle.get()
        assert {(one.method, _path(one)) for one in vendor.take()} == {
            (one.method, _path(one)) for one in polls
        }
        assert len(list(_addresses(result))) >= len(urls(done)) > 0
        checked("fal", "fal-client")


def _path(sent: Sent) -> str:
    """Return a path without the id of the job, which is another for each."""
    parts = httpx.URL(sent.url).path.split("/")
    return "/".join("id" if len(part) > 30 else part for part in parts)


def _addresses(value: Any) -> Any:
    if isinstance(value, dict):
        yield from ([value["url"]] if isinstance(value.get("url"), str) else [])
        for inner in value.values():
            yield from _addresses(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _addresses(inner)


@of("replicate")
def test_replicate(vendor: Vendor, ours: Ours, checked: Checked) -> None:
    client = replicate.Client(api_token=KEY, transport=vendor)
    for case in some(cases("replicate")):
        sent, outcome = ours.submit(case)
        prediction = client.models.predictions.create(model=case.upstream, input=dict(case.body))
        (theirs,) = vendor.take()
        assert theirs == sent
        polls, done = ours.poll(outcome)
        prediction.reload()
        (asked,) = vendor.take()
        assert [(one.method, _path(one)) for one in polls] == [(asked.method, _path(asked))]
        assert prediction.status == "succeeded"
        output = prediction.output
        assert len([output] if isinstance(output, str) else output) == len(urls(done))
        checked("replicate", "replicate")


@of("ark")
def test_ark(vendor: Vendor, ours: Ours, checked: Checked) -> None:
    client = Ark(
        base_url=vendor.declared.base_url,
        api_key=KEY,
        max_retries=0,
        http_client=httpx.Client(transport=vendor),
    )
    for case in some(cases("ark")):
        sent, outcome = ours.submit(case)
        if isinstance(outcome, Submitted):
            # The API's document has it, the client has no name for it yet.
            tools = {name: value for name, value in case.body.items() if name == "tools"}
            named = {name: value for name, value in case.body.items() if name != "tools"}
            task = client.content_generation.tasks.create(model=case.upstream, **named, extra_body=tools)
            assert [_said(one) for one in vendor.take()] == [_said(sent)]
            polls, done = ours.poll(outcome)
            got = client.content_generation.tasks.get(task_id=task.id)
            (asked,), (polled,) = vendor.take(), polls
            assert asked.url.rpartition("/")[0] == polled.url.rpartition("/")[0]
            assert (asked.method, asked.key) == (polled.method, polled.key)
            assert got.status == "succeeded"
            assert len([got.content.video_url]) <= len(urls(done))
        else:
            options = case.body.get("optimize_prompt_options")
            typed = {} if options is None else {"optimize_prompt_options": OptimizePromptOptions(**options)}
            images = client.images.generate(model=case.upstream, **{**case.body, **typed})
            assert [_said(one) for one in vendor.take()] == [_said(sent)]
            assert len(images.data) == len(urls(outcome))
        checked("ark", "byteplus-python-sdk-v2")


def _said(sent: Sent) -> Sent:
    """Return a request without the fields that the client sends empty."""
    return Sent(sent.method, sent.url, sent.key, _without_empty(sent.body))


def _without_empty(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _without_empty(inner) for name, inner in value.items() if inner is not None}


@of("openai")
def test_openai(vendor: Vendor, ours: Ours, checked: Checked) -> None:
    network: Any = httpx.Client(transport=vendor)
    client = openai.OpenAI(api_key=KEY, max_retries=0, http_client=network)
    for case in some(cases("openai")):
        sent, outcome = ours.submit(case)
        if "images" in case.body:
            continue  # the client sends edits as a form; JSON with addresses is in OpenAI's document alone
        images = client.images.generate(model=case.upstream, **case.body)
        assert vendor.take() == [sent]
        assert len(images.data or []) == len(outcome.files)
        checked("openai", "openai")


@of("google")
def test_google(vendor: Vendor, ours: Ours, checked: Checked) -> None:
    # Left alone, the client asks for interactions below `/v1`; its other calls are below `/v1beta`.
    options = genai_types.HttpOptions(httpx_client=httpx.Client(transport=vendor), api_version="v1beta")
    client = genai.Client(api_key=KEY, http_options=options)
    for case in some(cases("google")):
        sent, outcome = ours.submit(case)
        if "contents" in case.body:
            config = genai_types.GenerateContentConfig.model_validate(case.body.get("generationConfig", {}))
            contents = [genai_types.Content.model_validate(one) for one in case.body["contents"]]
            answer = client.models.generate_content(model=case.upstream, contents=contents, config=config)
            (theirs,) = vendor.take()
            assert _camel(theirs) == sent
            assert len([part for part in answer.parts or [] if part.inline_data]) == len(outcome.files)
            checked("google", "google-genai")
        elif "input" in case.body:
            started = client.interactions.create(**case.body)
            (theirs,) = vendor.take()
            assert theirs == sent
            client.interactions.get(started.id)
            (asked,) = vendor.take()
            polls, _ = ours.poll(outcome)
            assert (asked.method, _path(asked)) == (polls[0].method, _path(polls[0]))
            checked("google", "google-genai")


def _camel(sent: Sent) -> Sent:
    """Return a request with the names of REST, because the client has the protocol buffer's for files."""
    names = {"file_uri": "fileUri", "mime_type": "mimeType"}
    contents = [
        {
            **one,
            "parts": [
                {kind: _renamed(value, names) for kind, value in part.items()} for part in one["parts"]
            ],
        }
        for one in sent.body["contents"]
    ]
    return Sent(sent.method, sent.url, sent.key, {**sent.body, "contents": contents})


def _renamed(value: Any, names: dict[str, str]) -> Any:
    return (
        {names.get(name, name): inner for name, inner in value.items()} if isinstance(value, dict) else value
    )


@of("dashscope")
def test_dashscope(vendor: Vendor, ours: Ours, checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    real = requests.Session.send

    def send(self: Any, request: Any, **options: Any) -> Any:
        vendor.note(request.method, request.url, request.headers, request.body)
        request.url = vendor.reroute(request.url)
        return real(self, request, **options)

    monkeypatch.setattr(requests.Session, "send", send)
    monkeypatch.setattr(dashscope, "api_key", KEY)
    monkeypatch.setattr(dashscope, "base_http_api_url", f"{vendor.declared.base_url}/api/v1")
    for case in some(cases("dashscope")):
        sent, _ = ours.submit(case)
        answer = _dashscope(case)
        (theirs,) = vendor.take()
        assert answer.status_code == 200, answer
        assert (theirs.method, theirs.url, theirs.key) == (sent.method, sent.url, sent.key)
        # Words of the client's for itself, which reach the API as well.
        for name in ("extend_prompt", "function"):
            theirs.body["input"].pop(name, None)
        theirs.body["parameters"].pop("is_async", None)
        assert theirs.body == {**sent.body, "input": _messages_or(sent.body["input"])}
        checked("dashscope", "dashscope")


def _messages_or(said: dict[str, Any]) -> dict[str, Any]:
    return said if "messages" in said else {"prompt": None, **said} if "prompt" not in said else said


def _dashscope(case: Case) -> Any:
    said, parameters = case.body["input"], case.body.get("parameters", {})
    if "messages" in said:
        if case.upstream.startswith("wan"):
            return ImageGeneration.async_call(model=case.upstream, messages=said["messages"], **parameters)
        return dashscope.MultiModalConversation.call(
            model=case.upstream, messages=said["messages"], **parameters
        )
    return VideoSynthesis.async_call(model=case.upstream, **{"prompt": None, **said}, **parameters)
