"""Uploaded files in prompts, as they are served in all three protocols, on the emulator."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.text_app import USD, TextClient
from tests.unit.artifacts.test_store import png
from tollgate.composition import api as api_parts
from tollgate.ledger.callers import Caller

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

MODELS = ["gpt-5.4-mini", "claude-haiku-5-5", "gemini-3.8-flash"]
FOREIGN = "file-abc123"


def stored(client: TextClient, content_type: str, data: bytes) -> str:
    made = api_parts.api().files.uploads
    file = made.put(
        Caller.of_account(client.account.account_id), made.new_id(), content_type, data, ("a", "user_data")
    )
    return file.file_id


def requests_with(model: str, image: str, document: str) -> list[tuple[str, dict[str, Any], str]]:
    """Return a path, a body and the path of the image's id, for each protocol and for counts."""
    chat = [{"type": "file", "file": {"file_id": each}} for each in (image, document)]
    items = [{"type": "input_image", "file_id": image}, {"type": "input_file", "file_id": document}]
    blocks = [
        {"type": kind, "source": {"type": "file", "file_id": each}}
        for kind, each in (("image", image), ("document", document))
    ]
    said = {"model": model, "max_tokens": 200}
    in_messages = {**said, "messages": [{"role": "user", "content": blocks}]}
    return [
        (
            "/chat/completions",
            {**said, "messages": [{"role": "user", "content": chat}]},
            "/messages/0/content/0",
        ),
        ("/responses", {"model": model, "input": [{"role": "user", "content": items}]}, "/input/0/content/0"),
        ("/messages", in_messages, "/messages/0/content/0"),
        ("/messages/count_tokens", {**in_messages, "max_tokens": None}, "/messages/0/content/0"),
    ]


PDF = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}}


@pytest.mark.parametrize(
    ("model", "plugins", "status"),
    [
        ("gemini-3.8-flash", [{"id": "file-parser", "pdf": {"engine": "native"}}], 200),
        ("deepseek-v4-flash", [{"id": "file-parser"}], 400),
        ("glm-5.3", [], 400),
    ],
    ids=["native", "no files", "no plugin"],
)
def test_a_model_reads_files_itself_or_refuses_them_for_nothing(
    open_client: Callable[[int], TextClient], model: str, plugins: list[Any], status: int
) -> None:
    client = open_client(100 * USD)
    before = client.balance()
    body = {"model": model, "max_tokens": 20, "messages": [{"role": "user", "content": [PDF]}]}
    answer = client.post("/chat/completions", {**body, "plugins": plugins})
    assert answer.status_code == status, answer.text
    assert (client.balance() < before) == (status == 200)
    assert status == 200 or "/messages/0/content/0" in answer.text


BAD = "data:application/pdf;base64,UEsDBBQA"


@pytest.mark.parametrize(
    ("path", "part", "at"),
    [
        ("/chat/completions", {"type": "file", "file": {"file_data": BAD}}, "content/0/file/file_data"),
        ("/responses", {"type": "input_file", "filename": "a.pdf", "file_data": BAD}, "content/0/file_data"),
        (
            "/messages",
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "UEsDBBQA"},
            },
            "content/0/source/data",
        ),
    ],
    ids=["chat", "responses", "messages"],
)
def test_a_malformed_file_is_refused_by_name_for_nothing(
    open_client: Callable[[int], TextClient], path: str, part: dict[str, Any], at: str
) -> None:
    client = open_client(100 * USD)
    before = client.balance()
    turns = [{"role": "user", "content": [part]}]
    body = {"input": turns} if path == "/responses" else {"max_tokens": 20, "messages": turns}
    answer = client.post(path, {"model": MODELS[0], **body})
    assert answer.status_code == 400, answer.text
    assert f"0/{at}" in answer.text
    assert "Is no PDF file" in answer.text
    assert client.balance() == before


@pytest.mark.parametrize("model", MODELS)
def test_each_protocol_takes_files_of_the_account_and_no_others(
    open_client: Callable[[int], TextClient], model: str
) -> None:
    client = open_client(100 * USD)
    files = stored(client, "image/png", png()), stored(client, "application/pdf", b"%PDF-1.4 x")
    for path, body, _ in requests_with(model, *files):
        sent = {name: value for name, value in body.items() if value is not None}
        answer = client.post(path, sent)
        assert answer.status_code == 200, (path, answer.text)
    before = client.balance()
    other = stored(open_client(USD), "image/png", png())
    for image in (other, FOREIGN):
        for path, body, at in requests_with(model, image, files[1]):
            sent = {name: value for name, value in body.items() if value is not None}
            answer = client.post(path, sent)
            error = answer.json()["error"]
            assert answer.status_code == 400, (path, answer.text)
            assert at in str(error.get("details") or error["message"])
    assert client.balance() == before
