"""What lies in our account with a provider, or in somebody's cloud, is refused by name."""

import json
from typing import Any

import pytest

from tests.unit.text.samples import ANTHROPIC, OPENAI
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import new_id
from tollgate.text.body.fields import refused_fields
from tollgate.text.body.foreign import foreign_problems
from tollgate.text.body.json_body import dumps
from tollgate.text.body.request import read_request
from tollgate.text.models import TextProtocol
from tollgate.text.responses.items import messages_of

PIXEL = "data:image/png;base64,AAAA"
PART = "/messages/0/content/0"


def paths(part: Any = None, protocol: TextProtocol = OPENAI, **fields: Any) -> list[str]:
    """Return where the problems of a body are: of one with this part of a message, or with these fields."""
    content = "hi" if part is None else [part]
    body = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": content}], **fields}
    request = read_request(protocol, dumps(body).encode())
    found = [*refused_fields(protocol, request.fields), *foreign_problems(request)]
    return [problem.path for problem in found]


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ({"type": "image_url", "image_url": {"url": "gs://bucket/one.png"}}, f"{PART}/image_url/url"),
        ({"type": "image_url", "image_url": "gs://bucket/one.png"}, f"{PART}/image_url"),
        ({"type": "image_url", "image_url": {"url": "s3://bucket/one.png"}}, f"{PART}/image_url/url"),
        ({"type": "image_url", "image_url": {"url": "file-123"}}, f"{PART}/image_url/url"),
        ({"type": "image_url", "image_url": {"url": " https://a.example"}}, f"{PART}/image_url/url"),
        ({"type": "video_url", "video_url": {"url": "gs://bucket/one.mp4"}}, f"{PART}/video_url/url"),
        ({"type": "file", "file": {"file_id": "file-123"}}, f"{PART}/file/file_id"),
        ({"type": "file", "file": {"fileId": "file-123", "file_data": PIXEL}}, f"{PART}/file/fileId"),
        ({"type": "image_file", "image_file": {"detail": "low"}}, f"{PART}/image_file"),
        ({"file_data": {"file_uri": "https://files.example/v1beta/files/1"}}, f"{PART}/file_data/file_uri"),
        ({"fileData": {"fileUri": "files/1"}}, f"{PART}/fileData/fileUri"),
    ],
)
def test_of_a_chat(part: dict[str, Any], path: str) -> None:
    assert paths(part) == [path]


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ({"type": "image", "source": {"type": "file", "file_id": "file_1"}}, f"{PART}/source/type"),
        ({"type": "document", "source": {"type": "file"}}, f"{PART}/source/type"),
        ({"type": "document", "source": {}}, f"{PART}/source/type"),
        ({"type": "image", "source": {"type": "url", "url": "gs://b/one.png"}}, f"{PART}/source/url"),
        ({"type": "container_upload", "file_id": "file_1"}, f"{PART}/file_id"),
        (
            {
                "type": "tool_result",
                "tool_use_id": "t",
                "content": [{"type": "image", "source": {"type": "file", "file_id": "f"}}],
            },
            f"{PART}/content/0/source/type",
        ),
    ],
)
def test_of_messages(part: dict[str, Any], path: str) -> None:
    assert path in paths(part, ANTHROPIC)


@pytest.mark.parametrize("protocol", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prompt", {"id": "pmpt_1"}),
        ("conversation", "conv_1"),
        ("previous_response_id", "resp_1"),
        ("cached_content", "cachedContents/1"),
        ("cachedContent", "cachedContents/1"),
        ("vector_store_ids", ["vs_1"]),
        ("skills", [{"skill_id": "s"}]),
    ],
)
def test_of_the_body(name: str, value: Any, protocol: TextProtocol) -> None:
    assert paths(protocol=protocol, **{name: value}) == [f"/{name}"]
    assert paths(protocol=protocol, **{name: None}) == []


def test_of_a_tool_and_of_an_earlier_answer() -> None:
    tool = {"type": "function", "function": {"name": "f"}, "vector_store_ids": ["vs_1"]}
    assert paths(tools=[tool]) == ["/tools/0/vector_store_ids"]
    spoken = {"role": "assistant", "content": None, "audio": {"id": "audio_1"}}
    assert paths(messages=[spoken]) == ["/messages/0/audio/id"]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": "gs://bucket file_id"},
        {"type": "image_url", "image_url": {"url": "HTTPS://a.example/one.png", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": PIXEL}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": PIXEL, "file_id": None}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "gs://x"}},
        {"type": "tool_use", "id": "t", "name": "f", "input": {"file_id": "1", "url": "gs://x"}},
        {
            "type": "search_result",
            "source": "manual",
            "title": "t",
            "content": [{"type": "text", "text": "x"}],
        },
    ],
)
@pytest.mark.parametrize("protocol", [OPENAI, ANTHROPIC])
def test_what_carries_its_data_passes(part: dict[str, Any], protocol: TextProtocol) -> None:
    assert paths(part, protocol) == []


def test_a_schema_of_a_tool_may_speak_of_files() -> None:
    schema = {"type": "object", "properties": {"file_id": {"type": "string"}, "url": {"const": "gs://x"}}}
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    assert paths(tools=[tool]) == []
    assert paths(protocol=ANTHROPIC, tools=[{"name": "f", "input_schema": schema}]) == []


def test_what_nests_deep_is_looked_at() -> None:
    part = json.loads('{"type":"tool_result","content":[' * 90 + '{"file_id":"f"}' + "]}" * 90)
    (path,) = paths(part)
    assert path.endswith("/file_id")


@pytest.mark.parametrize("kind", ["input_image", "input_file"])
def test_of_a_response(kind: str) -> None:
    part = {"type": kind, "file_id": "file-1", "image_url": PIXEL, "file_data": PIXEL}
    with pytest.raises(InvalidInputError) as refused:
        messages_of([{"role": "user", "content": [part]}])
    assert [problem.path for problem in refused.value.problems] == ["/input/0/content/0/file_id"]


def test_an_own_file_that_cannot_be_used_here_is_not_called_a_providers() -> None:
    """A step of a workflow and a quote do not read uploaded files, which an ordinary chat does."""
    part = {"type": "file", "file": {"file_id": new_id("file")}}
    body = {"model": "m", "messages": [{"role": "user", "content": [part]}]}
    (problem,) = foreign_problems(read_request(OPENAI, dumps(body).encode()))
    assert problem.path == f"{PART}/file/file_id"
    assert problem.message == "An uploaded file cannot be used here. Send its data or a public address."
