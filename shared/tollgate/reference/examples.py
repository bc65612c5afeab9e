"""Complete programs for the docs. Each ends with the saved file or the printed response. Pure.

The key and the address come from the environment, as everywhere in the docs. For pages that know the address,
the programs contain it.
"""

import json
import pprint
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.catalog.text_models import CatalogTextModel
from tollgate.reference import audio_examples as audio
from tollgate.reference import media_examples as of_media

WIDTH = 84
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Example:
    """A program: its language for the highlighter, the label of its tab, and its code."""

    language: str
    label: str
    code: str


def media(
    model_id: str, values: Body, base_url: str | None = None, options: Body | None = None
) -> list[Example]:
    """Return programs that create, wait and save the files. The one with the client has no `options`."""
    body = {"model": model_id, "input": values, **(options or {})}
    curl, httpx, script = (
        _to(each, base_url) for each in (of_media.CURL, of_media.HTTPX, of_media.TYPESCRIPT)
    )
    return [
        Example("bash", "curl", curl.replace("BODY", _quoted(body))),
        Example("python", "Python", _filled(of_media.CLIENT, model_id, values)),
        Example("python", "Python, httpx", httpx.replace("BODY", _python(body, 4))),
        Example("typescript", "TypeScript", script.replace("BODY", _json(body))),
    ]


def text(model_id: str, base_url: str | None = None) -> list[Example]:
    """Return programs that call a text model and print its response."""
    body = {"model": model_id, "messages": [{"role": "user", "content": "Say hello"}]}
    curl, openai, script = (_to(each, base_url) for each in (_TEXT_CURL, _TEXT_OPENAI, _TEXT_TYPESCRIPT))
    return [
        Example("bash", "curl", curl.replace("BODY", _quoted(body))),
        Example("python", "Python", _TEXT_CLIENT.replace("MODEL", model_id)),
        Example("python", "Python, OpenAI SDK", openai.replace("MODEL", model_id)),
        Example("typescript", "TypeScript", script.replace("MODEL", model_id)),
    ]


def embedding(model_id: str, base_url: str | None = None) -> list[Example]:
    """Return programs that request the vectors of two texts and print their lengths."""
    body = {"model": model_id, "input": ["a lighthouse at dusk", "a harbour at dawn"]}
    return _calls(model_id, body, base_url, (_EMBEDDING_CURL, _EMBEDDING_OPENAI, _EMBEDDING_TYPESCRIPT))


def rerank(model_id: str, base_url: str | None = None) -> list[Example]:
    """Return programs that order three texts by their relevance to a query, and print the order."""
    body = {"model": model_id, "query": "when does the museum open", "documents": _DOCUMENTS}
    labels = ("Python, Cohere SDK", "TypeScript, AI SDK")
    return _calls(model_id, body, base_url, (_RERANK_CURL, _RERANK_COHERE, _RERANK_AI_SDK), labels)


def moderation(model_id: str, base_url: str | None = None) -> list[Example]:
    """Return programs that have a text judged, and print whether it is flagged."""
    body = {"model": model_id, "input": "A poem about the sea"}
    return _calls(model_id, body, base_url, (_MODERATION_CURL, _MODERATION_OPENAI, _MODERATION_TYPESCRIPT))


def speech(model_id: str, base_url: str | None = None) -> list[Example]:
    """Return programs that speak a sentence into a file."""
    body = {"model": model_id, "voice": "alloy", "input": "The lighthouse is lit at dusk."}
    return _calls(model_id, body, base_url, (audio.SPEECH_CURL, audio.SPEECH_OPENAI, audio.SPEECH_TYPESCRIPT))


def transcription(model_id: str, base_url: str | None = None) -> list[Example]:
    """Return programs that print the text of a recording."""
    return _calls(
        model_id,
        {},
        base_url,
        (audio.TRANSCRIPTION_CURL, audio.TRANSCRIPTION_OPENAI, audio.TRANSCRIPTION_TYPESCRIPT),
    )


def _calls(
    model_id: str,
    body: Body,
    base_url: str | None,
    templates: tuple[str, str, str],
    labels: tuple[str, str] = ("Python, OpenAI SDK", "TypeScript"),
) -> list[Example]:
    """Return a model's programs in curl, Python and TypeScript. Only curl's has the `body`."""
    curl, python, script = (_to(each, base_url).replace("MODEL", model_id) for each in templates)
    return [
        Example("bash", "curl", curl.replace("BODY", _quoted(body))),
        Example("python", labels[0], python),
        Example("typescript", labels[1], script),
    ]


_OF_KINDS = {"embeddings": embedding, "rerank": rerank, "moderations": moderation}
_OF_KINDS |= {"speech": speech, "transcription": transcription}


def of_text_model(model: CatalogTextModel, base_url: str | None = None) -> list[Example]:
    """Return programs that call a model of the text routes, of any kind."""
    return _OF_KINDS.get(model.protocols[0], text)(model.id, base_url)


def _to(template: str, base_url: str | None) -> str:
    """Return a program that calls the service at `base_url`; `None` leaves the address to the environment."""
    if base_url is None:
        return template
    # Before a customer's values are in it, because they may contain these words too.
    for word in ('os.environ["TOLLGATE_URL"]', "process.env.TOLLGATE_URL"):
        template = template.replace(f'{word} + "', f'"{base_url}').replace(word, f'"{base_url}"')
    return template.replace("$TOLLGATE_URL", base_url)


def endpoint(method: str, path: str, body: Body | None) -> list[Example]:
    """Return one request to an endpoint. The reader replaces the parts of the path in braces."""
    url = f"$TOLLGATE_URL{path}"
    lines = [f'curl -sS -X {method} "{url}"', '-H "Authorization: Bearer $TOLLGATE_API_KEY"']
    sent = "" if body is None else f"    json={_python(body, 4)},\n"
    script = "" if body is None else f"  body: JSON.stringify({_json(body, 2)}),\n"
    if body is not None:
        lines += ["-H 'Content-Type: application/json'", f"-d {_quoted(body)}"]
    python = _HTTPX_HEAD + _REQUEST_HTTPX.replace("SENT", sent)
    typescript = of_media.FETCH_HEAD + _REQUEST_FETCH.replace("SENT", script)
    return [
        Example("bash", "curl", " \\\n  ".join(lines)),
        Example("python", "Python, httpx", _at(python, method, path)),
        Example("typescript", "TypeScript", _at(typescript, method, path)),
    ]


def _at(template: str, method: str, path: str) -> str:
    return template.replace("METHOD", method).replace("PATH", path)


def _filled(template: str, model_id: str, values: Body) -> str:
    return template.replace("MODEL", model_id).replace("INPUT", _python(values, 4))


def _quoted(body: Body) -> str:
    # In single quotes, the quote is the only special character of a shell.
    return "'" + _json(body).replace("'", "'\\''") + "'"


def _json(value: Any, indent: int = 0) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n" + " " * indent)


def _python(value: Any, indent: int) -> str:
    lines = pprint.pformat(value, width=WIDTH - indent, sort_dicts=False).splitlines()
    return ("\n" + " " * indent).join(lines)


_HTTPX_HEAD = """\
# pip install httpx
import os

import httpx

URL = os.environ["TOLLGATE_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['TOLLGATE_API_KEY']}"}

"""

_TEXT_CURL = """\
curl -sS "$TOLLGATE_URL/api/v1/chat/completions" \\
  -H "Authorization: Bearer $TOLLGATE_API_KEY" -H 'Content-Type: application/json' \\
  -d BODY | jq -r '.choices[0].message.content'"""

_TEXT_CLIENT = """\
# pip install -r $TOLLGATE_URL/clients/tollgate-client.txt
import tollgate_client

for piece in tollgate_client.stream_chat("MODEL", "Say hello"):
    print(piece, end="", flush=True)"""

_OPENAI_PYTHON = """\
# pip install openai
import os

from openai import OpenAI

client = OpenAI(
    base_url=os.environ["TOLLGATE_URL"] + "/api/v1",
    api_key=os.environ["TOLLGATE_API_KEY"],
)
"""

_OPENAI_TYPESCRIPT = """\
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: process.env.TOLLGATE_URL + "/api/v1",
  apiKey: process.env.TOLLGATE_API_KEY,
});
"""

_TEXT_OPENAI = (
    _OPENAI_PYTHON
    + """\
answer = client.chat.completions.create(
    model="MODEL",
    messages=[{"role": "user", "content": "Say hello"}],
)
print(answer.choices[0].message.content)"""
)

_TEXT_TYPESCRIPT = (
    _OPENAI_TYPESCRIPT
    + """\
const stream = await client.chat.completions.create({
  model: "MODEL",
  messages: [{ role: "user", content: "Say hello" }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? "");"""
)


_EMBEDDING_CURL = _TEXT_CURL.replace("chat/completions", "embeddings").replace(
    "-r '.choices[0].message.content'", "-c '[.data[].embedding | length]'"
)

_EMBEDDING_OPENAI = (
    _OPENAI_PYTHON
    + """\
answer = client.embeddings.create(
    model="MODEL",
    input=["a lighthouse at dusk", "a harbour at dawn"],
)
print([len(each.embedding) for each in answer.data])"""
)

_EMBEDDING_TYPESCRIPT = (
    _OPENAI_TYPESCRIPT
    + """\
const answer = await client.embeddings.create({
  model: "MODEL",
  input: ["a lighthouse at dusk", "a harbour at dawn"],
});
console.log(answer.data.map((each) => each.embedding.length));"""
)

_DOCUMENTS = [
    "The museum opens at nine.",
    "Dogs are not allowed.",
    "The shop closes when the museum does.",
]

_RERANK_CURL = _TEXT_CURL.replace("chat/completions", "rerank").replace(
    "-r '.choices[0].message.content'", "-c '[.results[].index]'"
)

_RERANK_COHERE = """\
# pip install cohere
import os

import cohere

client = cohere.ClientV2(
    base_url=os.environ["TOLLGATE_URL"] + "/api",
    api_key=os.environ["TOLLGATE_API_KEY"],
)
answer = client.rerank(
    model="MODEL",
    query="when does the museum open",
    documents=[
        "The museum opens at nine.",
        "Dogs are not allowed.",
        "The shop closes when the museum does.",
    ],
)
print([each.index for each in answer.results])"""

_RERANK_AI_SDK = """\
import { createCohere } from "@ai-sdk/cohere";
import { rerank } from "ai";

const tollgate = createCohere({
  baseURL: process.env.TOLLGATE_URL + "/api/v2",
  apiKey: process.env.TOLLGATE_API_KEY,
});
const { ranking } = await rerank({
  model: tollgate.reranking("MODEL"),
  query: "when does the museum open",
  documents: [
    "The museum opens at nine.",
    "Dogs are not allowed.",
    "The shop closes when the museum does.",
  ],
});
console.log(ranking.map((each) => each.originalIndex));"""

_MODERATION_CURL = _TEXT_CURL.replace("chat/completions", "moderations").replace(
    "-r '.choices[0].message.content'", "-c '[.results[].flagged]'"
)

_MODERATION_OPENAI = (
    _OPENAI_PYTHON
    + """\
answer = client.moderations.create(model="MODEL", input="A poem about the sea")
print([each.flagged for each in answer.results])"""
)

_MODERATION_TYPESCRIPT = (
    _OPENAI_TYPESCRIPT
    + """\
const answer = await client.moderations.create({ model: "MODEL", input: "A poem about the sea" });
console.log(answer.results.map((each) => each.flagged));"""
)

_REQUEST_HTTPX = """\
answer = httpx.request(
    "METHOD",
    URL + "PATH",
    headers=HEADERS,
SENT    timeout=60,
)
print(answer.json())"""

_REQUEST_FETCH = """\
const answer = await fetch(url + "PATH", {
  method: "METHOD",
  headers,
SENT});
console.log(await answer.json());"""
