"""Code examples: a page's request as a customer would write it. Pure.

They never contain a key. They read it from the environment variable `TOLLGATE_API_KEY`.
"""

import json
import pprint
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WIDTH = 88


@dataclass(frozen=True, slots=True)
class Snippet:
    """One request in one language."""

    language: str
    code: str


def media_snippets(base_url: str, body: Mapping[str, Any]) -> list[Snippet]:
    """Return the create request with `body`. Its response has the task's id."""
    url = f"{base_url}/api/v1/generation/create"
    return [_curl(url, body), _python_http(url, body), _javascript(url, body)]


FIRST = {"model": "z-image", "input": {"prompt": "a lighthouse at dusk", "size": "16:9"}}


def first_snippets(base_url: str) -> list[Snippet]:
    """Return a first request for new customers. The Python example uses Tollgate's own client."""
    python = (
        f"# pip install -r {base_url}/clients/tollgate-client.txt\n"
        f"# export TOLLGATE_URL={base_url} TOLLGATE_API_KEY=tg_live_YOUR_KEY\n"
        "import tollgate_client\n\n"
        f'task = tollgate_client.run("{FIRST["model"]}", {_python(FIRST["input"], 4)})\n'
        "print(task.save())  # the paths of the files"
    )
    return [_curl(f"{base_url}/api/v1/generation/create", FIRST), Snippet("Python", python)]


def chat_snippets(base_url: str, body: Mapping[str, Any]) -> list[Snippet]:
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


def _curl(url: str, body: Mapping[str, Any]) -> Snippet:
    # In single quotes, the quote is the only special character of a shell.
    quoted = _json(body).replace("'", "'\\''")
    lines = (
        f"curl {url}",
        '-H "Authorization: Bearer $TOLLGATE_API_KEY"',
        "-H 'Content-Type: application/json'",
        f"-d '{quoted}'",
    )
    return Snippet("curl", " \\\n  ".join(lines))


def _python_http(url: str, body: Mapping[str, Any]) -> Snippet:
    code = (
        "import os\nimport httpx\n\n"
        "answer = httpx.post(\n"
        f'    "{url}",\n'
        '    headers={"Authorization": f"Bearer {os.environ[\'TOLLGATE_API_KEY\']}"},\n'
        f"    json={_python(body, 4)},\n"
        ")\n"
        'print(answer.json()["data"]["taskId"])'
    )
    return Snippet("Python", code)


def _javascript(url: str, body: Mapping[str, Any]) -> Snippet:
    code = (
        f'const answer = await fetch("{url}", {{\n'
        '  method: "POST",\n'
        "  headers: {\n"
        "    Authorization: `Bearer ${process.env.TOLLGATE_API_KEY}`,\n"
        '    "Content-Type": "application/json",\n'
        "  },\n"
        f"  body: JSON.stringify({_json(body)}),\n"
        "});\n"
        "console.log((await answer.json()).data.taskId);"
    )
    return Snippet("JavaScript", code)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _python(value: Any, indent: int) -> str:
    lines = pprint.pformat(value, width=WIDTH - indent, sort_dicts=False).splitlines()
    return ("\n" + " " * indent).join(lines)
