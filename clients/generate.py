"""Writes the typed inputs of both clients from the catalog (`make clients`)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tollgate.catalog.listing import Listing
from tollgate.catalog.loader import Catalog
from tollgate.providers.runtime.registry import MappingNames, providers

HERE = Path(__file__).parent
PYTHON = HERE / "python/src/tollgate_client/inputs.py"
TYPESCRIPT = HERE / "typescript/inputs.d.ts"
LINE = 110

Param = Mapping[str, Any]


def main() -> None:
    """Write both files."""
    models = media_models()
    PYTHON.write_text(python(models))
    TYPESCRIPT.write_text(typescript(models))


def media_models() -> list[dict[str, Any]]:
    """Return the media models of the shipped catalog as `GET /api/v1/catalog` shows them, by id."""
    catalog = Catalog.shipped().with_live(frozenset(providers()), MappingNames())
    shown: list[dict[str, Any]] = json.loads(Listing(catalog).models({}).body)
    return sorted((one for one in shown if one["kind"] == "media"), key=lambda one: str(one["id"]))


def class_name(model_id: str) -> str:
    """Return `GptImage2Input` for `gpt-image-2`."""
    return (
        "".join(part.capitalize() for part in model_id.replace(".", "_").replace("-", "_").split("_"))
        + "Input"
    )


def python(models: Sequence[Mapping[str, Any]]) -> str:
    """Return inputs.py."""
    ids = "\n".join(f'    "{one["id"]}",' for one in models)
    lines = [
        '"""The input of each model, generated from the catalog. The service checks every input."""',
        "",
        "from __future__ import annotations",
        "",
        "import os",
        "from typing import IO, Any, Literal, TypedDict, Union",
        "",
        'Media = Union[str, "os.PathLike[str]", bytes, IO[bytes]]',
        '"""A URL, a data URI, the id of an upload, or a local file."""',
        "",
        f"ModelId = Literal[\n{ids}\n]",
    ]
    for one in models:
        required = [param for param in one["params"] if param["required"]]
        optional = [param for param in one["params"] if not param["required"]]
        name = class_name(one["id"])
        parent = "TypedDict"
        if required:
            lines += [
                "",
                "",
                f"class _{name}(TypedDict):",
                f'    """Required fields of `{one["id"]}`."""',
                "",
            ]
            lines += [line for param in required for line in _python_field(param)]
            parent = f"_{name}"
        total = ", total=False"
        lines += [
            "",
            "",
            f"class {name}({parent}{total}):",
            f'    """{_line(one["name"])} (`{one["id"]}`)."""',
            "",
        ]
        lines += [line for param in optional for line in _python_field(param)]
    return "\n".join(lines).rstrip() + "\n"


def _python_field(param: Param) -> Iterator[str]:
    kind = _python_kind(param)
    yield f"    {param['name']}: {f'list[{kind}]' if param['isArray'] else kind}"
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
    for one in models:
        lines += ["", f"/** {_line(one['name'])} */", f"export interface {class_name(one['id'])} {{"]
        for param in one["params"]:
            kind = _typescript_kind(param)
            lines.append(f"  /** {_line(param.get('description') or param['label'])} */")
            mark = "" if param["required"] else "?"
            lines.append(f"  {param['name']}{mark}: {f'Array<{kind}>' if param['isArray'] else kind};")
        lines.append("}")
    lines += ["", "/** The input of each media model, by its id. */", "export interface Inputs {"]
    lines += [f'  "{one["id"]}": {class_name(one["id"])};' for one in models]
    return "\n".join([*lines, "}"]) + "\n"


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
