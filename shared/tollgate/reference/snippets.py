"""Code for pages: a request as a customer would write it, with this service's address. Pure.

The key is read from the environment variable `TOLLGATE_API_KEY`. Its first occurrence is the code's own,
before every value of the customer, so a page can replace it by a new key.
"""

import json
import pprint
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.catalog.models import Model
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.reference import examples
from tollgate.reference.examples import Example
from tollgate.reference.generations import example_input

WIDTH = 88
_CAPITAL = re.compile(r"[A-Z]")
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A program with the label of its tab."""

    label: str
    code: str


def export_line(base_url: str) -> str:
    """Return the line that sets the variables of all programs, with a placeholder for the key."""
    return f"export TOLLGATE_URL={base_url} TOLLGATE_API_KEY=tg_live_YOUR_KEY"


def media_snippets(base_url: str, body: Body) -> list[Snippet]:
    """Return programs that send a create request with `body`, wait and save the files.

    The clients take no wishes for providers, so a `body` with these has no programs with them.
    """
    model_id, values = body["model"], body["input"]
    options = {name: value for name, value in body.items() if name not in ("model", "input")}
    curl, _, httpx, fetch = _shown(examples.media(model_id, values, base_url, options))
    python, script = (_filled(each, base_url, model_id) for each in (_PYTHON, _TYPESCRIPT))
    named = "".join(f", {_snake(name)}={value!r}" for name, value in options.items())
    of_script = f", {_json(options)}" if options else ""
    clients = [
        Snippet("Python", python.replace("INPUT", _python(values, 4) + named)),
        Snippet("TypeScript", script.replace("INPUT", _json(values) + of_script)),
    ]
    return [
        curl,
        *([] if "provider" in options else clients),
        httpx,
        Snippet("TypeScript, fetch", fetch.code),
    ]


FIRST = {"model": "z-image", "input": {"prompt": "a lighthouse at dusk", "size": "16:9"}}


def first_snippets(base_url: str, model: Model | None = None) -> list[Snippet]:
    """Return a first request for new customers, which does not wait in the shell: one image by default."""
    body: Body = FIRST
    if model is not None and model.id != FIRST["model"]:
        body = {"model": model.id, "input": example_input(model) or {}}
    _, python, script, *_ = media_snippets(base_url, body)
    return [_curl(f"{base_url}/api/v1/generation/create", body), python, script]


def text_snippets(base_url: str, model: CatalogTextModel) -> list[Snippet]:
    """Return programs that call a text or embedding model, with each SDK whose protocol the model has."""
    programs = _shown(examples.of_text_model(model, base_url))
    if not model.is_chat:
        return programs
    curl, _, openai, script = programs
    found = [curl, openai, script, Snippet("Python, Tollgate", _filled(_CHAT, base_url, model.id))]
    if "anthropic" in model.protocols:
        found.append(Snippet("Python, Anthropic SDK", _filled(_ANTHROPIC, base_url, model.id)))
    return found


def chat_snippets(base_url: str, body: Body) -> list[Snippet]:
    """Return a chat completion with `body`. The Python and JavaScript examples use OpenAI's SDKs."""
    url = f"{base_url}/api/v1"
    arguments = ",\n".join(f"    {name}={_python(value, 4)}" for name, value in body.items())
    python = (
        "import os\nfrom openai import OpenAI\n\n"
        f'client = OpenAI(base_url="{url}", api_key=os.environ["TOLLGATE_API_KEY"])\n'
        f"answer = client.chat.completions.create(\n{arguments},\n)\n"
        "print(answer.choices[0].message.content)"
    )
    javascript = (
        'import OpenAI from "openai";\n\n'
        f'const client = new OpenAI({{baseURL: "{url}", apiKey: process.env.TOLLGATE_API_KEY}});\n'
        f"const answer = await client.chat.completions.create({_json(body)});\n"
        "console.log(answer.choices[0].message.content);"
    )
    return [
        _curl(f"{url}/chat/completions", body),
        Snippet("Python", python),
        Snippet("JavaScript", javascript),
    ]


def _shown(programs: list[Example]) -> list[Snippet]:
    return [Snippet(one.label, one.code) for one in programs]


def _filled(template: str, base_url: str, model_id: str) -> str:
    return template.replace("ADDRESS", base_url).replace("MODEL", model_id)


def _curl(url: str, body: Body) -> Snippet:
    # In single quotes, the quote is the only special character of a shell.
    quoted = _json(body).replace("'", "'\\''")
    lines = (
        f"curl {url}",
        '-H "Authorization: Bearer $TOLLGATE_API_KEY"',
        "-H 'Content-Type: application/json'",
        f"-d '{quoted}'",
    )
    return Snippet("curl", " \\\n  ".join(lines))


def _snake(name: str) -> str:
    return _CAPITAL.sub(lambda found: f"_{found[0].lower()}", name)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _python(value: Any, indent: int) -> str:
    lines = pprint.pformat(value, width=WIDTH - indent, sort_dicts=False).splitlines()
    return ("\n" + " " * indent).join(lines)


_PYTHON = """\
# pip install -r ADDRESS/clients/tollgate-client.txt
import os

import tollgate_client

client = tollgate_client.Client(os.environ["TOLLGATE_API_KEY"], "ADDRESS")
task = client.run("MODEL", INPUT)
for path in task.save():
    print(path)"""

_TYPESCRIPT = """\
// npm install ADDRESS/clients/tollgate-client.tgz
import { Client } from "tollgate-client";
import { save } from "tollgate-client/node";

const client = new Client({ apiKey: process.env.TOLLGATE_API_KEY, baseUrl: "ADDRESS" });
const task = await client.run("MODEL", INPUT);
for (const file of task.files) console.log(await save(client, file));"""

_CHAT = """\
# pip install -r ADDRESS/clients/tollgate-client.txt
import os

import tollgate_client

client = tollgate_client.Client(os.environ["TOLLGATE_API_KEY"], "ADDRESS")
for piece in client.stream_chat("MODEL", "Say hello"):
    print(piece, end="", flush=True)"""

_ANTHROPIC = """\
# pip install anthropic
import os

from anthropic import Anthropic

client = Anthropic(api_key=os.environ["TOLLGATE_API_KEY"], base_url="ADDRESS/api")
answer = client.messages.create(
    model="MODEL",
    max_tokens=1024,
    messages=[{"role": "user", "content": "Say hello"}],
)
print(answer.content[0].text)"""
