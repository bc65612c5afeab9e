"""Writes the generated files of the clients (`make clients`).

They are the typed inputs of both clients, from the catalog; client.py, from aio.py; and verification.py, a
copy of the service's own.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tollgate.catalog.listing import Listing
from tollgate.catalog.loader import Catalog
from tollgate.catalog.profiles.base import IMAGES, Profile
from tollgate.providers.runtime.registry import MappingNames, providers

HERE = Path(__file__).parent
PYTHON = HERE / "python/src/tollgate_client/inputs.py"
TYPESCRIPT = HERE / "typescript/inputs.d.ts"
ASYNC_CLIENT = HERE / "python/src/tollgate_client/aio.py"
CLIENT = HERE / "python/src/tollgate_client/client.py"
VERIFICATION = HERE / "python/src/tollgate_client/verification.py"
SERVICE_VERIFICATION = HERE.parent / "shared/tollgate/seals/verification.py"
FORMAT_TIMEOUT_S = 60
SHARED_FIELDS = "Fields that several models have."

# The client for threads is the client for asyncio with these replacements, in this order.
WITHOUT_ASYNC = (
    (r'\A""".*?"""', '"""The client for threads, generated from aio.py by `make clients`."""'),
    (r"shared\n    by the tasks of one event loop\.", "shared\n    between threads."),
    (r"import asyncio\n", ""),
    (r"  # noqa: ASYNC109.*", ""),
    (r"\ban `async ", "a `"),
    (r"\b(async|await) ", ""),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\ba(close|read|iter_bytes|iter_lines)\b", r"\1"),
    (r"\bAsync(Client|Task|Workflow|Batch|Iterator|BaseTransport)\b", r"\1"),
)

Param = Mapping[str, Any]


def main() -> None:
    """Write both files of inputs, the Python client for threads, and its verification of bills."""
    models = media_models()
    PYTHON.write_text(python(models))
    TYPESCRIPT.write_text(typescript(models))
    CLIENT.write_text(client_for_threads(ASYNC_CLIENT.read_text()))
    VERIFICATION.write_text(SERVICE_VERIFICATION.read_text())


def media_models() -> list[dict[str, Any]]:
    """Return the media models of the shipped catalog as `GET /api/v1/catalog` shows them, by id.

    Each has its `profile` too, which customers do not see. Its `params` include the other name of its images.
    """
    catalog = Catalog.shipped().with_live(frozenset(providers()), MappingNames())
    found = {model.id: model for model in catalog.media_models()}
    shown: list[dict[str, Any]] = json.loads(Listing(catalog).models({}).body)
    media = (one for one in shown if one["kind"] == "media")
    return sorted(
        (
            {
                **one,
                "profile": found[one["id"]].profile,
                "params": [*one["params"], *_other_name(found[one["id"]].input_class)],
            }
            for one in media
        ),
        key=lambda one: str(one["id"]),
    )


def _other_name(profile: type[Profile]) -> Iterator[Param]:
    """Return `imageUrls` if it is another name of the model's field for images."""
    field = profile.aliased_field()
    if field is not None:
        text = f"Another name of {field}. Do not send both."
        yield {
            "name": IMAGES,
            "description": text,
            "kind": "string",
            "isArray": True,
            "isMedia": True,
            "required": False,
        }


def class_name(name: str) -> str:
    """Return `GptImage2Input` for `gpt-image-2`.

    No class begins with a digit, so `3D` becomes `Kind3dInput`.
    """
    parts = name.replace(".", "_").replace("-", "_").split("_")
    joined = "".join(part.capitalize() for part in parts) + "Input"
    return f"Kind{joined}" if joined[0].isdigit() else joined


def client_for_threads(source: str) -> str:
    """Return the source of client.py for the `source` of aio.py, formatted."""
    for pattern, replacement in WITHOUT_ASYNC:
        source = re.sub(pattern, replacement, source, flags=re.DOTALL if pattern.startswith(r"\A") else 0)
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(CLIENT), "-"]
    return subprocess.run(
        ruff, input=source, capture_output=True, text=True, check=True, timeout=FORMAT_TIMEOUT_S
    ).stdout


def python(models: Sequence[Mapping[str, Any]]) -> str:
    """Return inputs.py."""
    ids = "\n".join(f'    "{one["id"]}",' for one in models)
    lines = [
        '"""The input of each model, generated from the catalog. The service checks every input."""',
        "",
        "from __future__ import annotations",
        "",
        "import os",
        "import sys",
        "from typing import IO, Any, Literal, TypedDict, Union",
        "",
        "if sys.version_info >= (3, 11):",
        "    from typing import Required",
        "else:",
        "    from typing_extensions import Required",
        "",
        'Media = Union[str, "os.PathLike[str]", bytes, IO[bytes]]',
        '"""A URL, a data URI, the id of an upload, or a local file."""',
        "",
        f"ModelId = Literal[\n{ids}\n]",
    ]
    for one in _declarations(models, _python_field):
        name = class_name(one.model["id"]) if one.model else f"_{one.shared}"
        parent = f"_{one.shared}" if one.model and one.shared else "TypedDict"
        about = f"{_line(one.model['name'])} (`{one.model['id']}`)." if one.model else SHARED_FIELDS
        lines += ["", "", f"class {name}({parent}, total=False):", f'    """{about}"""', "", *one.fields]
    return "\n".join(lines).rstrip() + "\n"


@dataclass(frozen=True)
class _Declaration:
    """A class of inputs: for a `model`, or without a model for the fields that a profile's models share.

    `shared` is the name of the class with the shared fields, if it exists. `fields` are lines of source.
    """

    model: Mapping[str, Any] | None
    shared: str | None
    fields: list[str]


def _declarations(
    models: Sequence[Mapping[str, Any]], write: Callable[[Param], Iterator[str]]
) -> Iterator[_Declaration]:
    """Yield the classes in the order of both files; `write` returns the lines of a field."""
    shared = _shared(models, lambda param: "".join(write(param)))
    for profile, params in shared.items():
        yield _Declaration(None, class_name(profile), [line for param in params for line in write(param)])
    for one in models:
        common = shared.get(one["profile"], [])
        names = {param["name"] for param in common}
        fields = [line for param in one["params"] if param["name"] not in names for line in write(param)]
        yield _Declaration(one, class_name(one["profile"]) if common else None, fields)


def _shared(models: Sequence[Mapping[str, Any]], written: Callable[[Param], str]) -> dict[str, list[Param]]:
    """Return, by profile, the parameters that are `written` equally for all of its models.

    A profile of one model has none.
    """
    by_profile: dict[str, list[Mapping[str, Any]]] = {}
    for one in models:
        by_profile.setdefault(one["profile"], []).append(one)
    shared = {}
    for profile, members in by_profile.items():
        first, *others = ({written(param): param for param in one["params"]} for one in members)
        common = [param for text, param in first.items() if all(text in other for other in others)]
        if others and common:
            shared[profile] = common
    return shared


def _python_field(param: Param) -> Iterator[str]:
    kind = _python_kind(param)
    kind = f"list[{kind}]" if param["isArray"] else kind
    yield f"    {param['name']}: {f'Required[{kind}]' if param['required'] else kind}"
    text = _line(param.get("description") or param["label"])
    yield f'    """{text}"""'


def _python_kind(param: Param) -> str:
    if param["isMedia"]:
        return "Media" if param["kind"] == "string" else "dict[str, Any]"
    if (
        param.get("options")
        and param["kind"] in ("string", "number")
        and not any(isinstance(one["value"], float) for one in param["options"])
    ):
        return (
            f"Literal[{', '.join(json.dumps(one['value'], ensure_ascii=False) for one in param['options'])}]"
        )
    return {"string": "str", "boolean": "bool", "number": "float", "object": "dict[str, Any]"}[param["kind"]]


def typescript(models: Sequence[Mapping[str, Any]]) -> str:
    """Return inputs.d.ts, which needs no compiler."""
    lines = [
        "// The input of each model, generated from the catalog. The service checks every input.",
        "",
        "/** A URL, a data URI, the id of an upload, bytes, or a local file (see `fromPath`). */",
        "export type Media = string | Blob | Uint8Array;",
    ]
    for one in _declarations(models, _typescript_field):
        parent = f" extends {one.shared}" if one.model and one.shared else ""
        head = f"export interface {class_name(one.model['id'])}" if one.model else f"interface {one.shared}"
        about = _line(one.model["name"]) if one.model else SHARED_FIELDS
        lines += ["", f"/** {about} */", f"{head}{parent} {{", *one.fields, "}"]
    lines += ["", "/** The input of each media model, by its id. */", "export interface Inputs {"]
    lines += [f'  "{model["id"]}": {class_name(model["id"])};' for model in models]
    return "\n".join([*lines, "}"]) + "\n"


def _typescript_field(param: Param) -> Iterator[str]:
    kind = _typescript_kind(param)
    yield f"  /** {_line(param.get('description') or param['label'])} */"
    mark = "" if param["required"] else "?"
    yield f"  {param['name']}{mark}: {f'Array<{kind}>' if param['isArray'] else kind};"


def _typescript_kind(param: Param) -> str:
    if param["isMedia"]:
        return "Media" if param["kind"] == "string" else "Record<string, unknown>"
    if param.get("options"):
        return " | ".join(json.dumps(one["value"], ensure_ascii=False) for one in param["options"])
    return {
        "string": "string",
        "boolean": "boolean",
        "number": "number",
        "object": "Record<string, unknown>",
    }[param["kind"]]


def _line(text: str) -> str:
    return " ".join(text.split()).replace('"""', "'''").replace("*/", "* /").replace("\\", "\\\\")


if __name__ == "__main__":
    main()
