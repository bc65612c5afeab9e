"""The `tollgate` command of a customer.

tollgate run z-image prompt="a lighthouse" size=16:9 --save images
tollgate run kling-3.0 prompt="waves" imageUrls=@start.png
echo "Say hello" | tollgate chat gpt-5.4-mini
eval "$(tollgate completion bash)"
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tollgate_client.client import Client
from tollgate_client.errors import BrokenStreamError, InvalidInputError, TollgateError
from tollgate_client.media import IMAGES
from tollgate_client.models import TaskStatus
from tollgate_client.verification import VerificationError, verify
from tollgate_client.wire import VERSION

FAILED, INTERRUPTED = 1, 130
COMPLETION_FRESH_S = 24 * 3600
SHELLS = ("bash", "zsh", "fish")
COMMANDS = (
    "run",
    "estimate",
    "models",
    "chat",
    "tasks",
    "balance",
    "upload",
    "delete",
    "statement",
    "verify",
    "completion",
)
_COMPLETIONS = {
    "bash": "_tollgate() { COMPREPLY=($(compgen -W "
    '"$(tollgate __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}")" '
    '-- "${COMP_WORDS[COMP_CWORD]}")); }\ncomplete -o default -F _tollgate tollgate',
    "zsh": "_tollgate() { compadd -- $(tollgate __complete ${words[2,CURRENT-1]}) || _files }\n"
    "compdef _tollgate tollgate",
    "fish": "complete -c tollgate -a '(tollgate __complete (commandline -opc)[2..])'",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, 1 after an error message, or 130 if interrupted."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["__complete"]:
        return _complete(words[1:])
    chosen = _parser().parse_args(words)
    try:
        act: Callable[[argparse.Namespace], int] = chosen.act
        return act(chosen)
    except InvalidInputError as exc:
        for line in [_problem_line(one) for one in exc.problems] or [exc.message]:
            print(f"tollgate: {line}", file=sys.stderr)
        return FAILED
    except (TollgateError, FileNotFoundError) as exc:
        print(f"tollgate: {exc}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # The reader closed the pipe (`| head`). Nothing more is written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def _problem_line(problem: Mapping[str, Any]) -> str:
    """Return a problem as a line. Most messages name the allowed values, so others get them."""
    message, allowed = str(problem.get("message")), problem.get("allowed", [])
    names = [str(one) for one in (allowed if isinstance(allowed, list) else [allowed])]
    more = "" if all(name in message for name in names) else f" Allowed: {', '.join(names)}"
    return f"{problem.get('path')}: {message}{more}"


def input_of(
    pairs: Sequence[str], whole: str | None, kinds: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a model's input from `name=value` words.

    `@path` is a local file. A name that occurs twice, or that is an array, becomes an array. Numbers and
    booleans are parsed according to the model's `params`. `name:=json` is literal JSON, and `whole` is an
    initial JSON object. Raises `TollgateError` for any other word.
    """
    values: dict[str, Any] = dict(_json(whole)) if whole else {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip(":"):
            raise TollgateError(f"not name=value: {pair!r}")
        kind = kinds.get(name, {"isArray": name == IMAGES})
        value = _json(text) if name.endswith(":") else _value(text, str(kind.get("kind", "string")))
        name = name.removesuffix(":")
        if isinstance(values.get(name), list):
            values[name].append(value)
        elif name in values:
            values[name] = [values[name], value]
        else:
            values[name] = [value] if kind.get("isArray") and not isinstance(value, list) else value
    return values


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as exc:
        raise TollgateError(f"not JSON: {text!r}") from exc


def _value(text: str, kind: str) -> Any:
    if text.startswith("@"):
        return Path(text[1:])
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    if kind == "number":
        try:
            return int(text)
        except ValueError:
            try:
                return float(text)
            except ValueError:
                return text
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tollgate", description="Images, videos, music and text from one API."
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, act: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=text, description=text)
        one.set_defaults(act=act)
        return one

    for name, act, text in (
        ("run", _run, "Make one generation, wait for it and save its files."),
        ("estimate", _estimate, "Show the price of a generation."),
    ):
        one = command(name, act, text)
        one.add_argument("model")
        one.add_argument("values", nargs="*", metavar="NAME=VALUE", help="name=@path uploads a file")
        one.add_argument("--input", help="the whole input as JSON")
        if name == "run":
            one.add_argument(
                "--save", metavar="FOLDER", default=".", help="folder for the files (default: here)"
            )
            one.add_argument("--max-cost-cents", type=int, help="refuse to cost more")
            one.add_argument("--json", action="store_true", help="print the task as JSON, and save nothing")
    models = command("models", _models, "List the models and their prices.")
    models.add_argument("--kind", choices=("media", "llm"))
    models.add_argument("--capability", help="such as text-to-video")
    chat = command("chat", _chat, "Ask a text model; the answer is streamed.")
    chat.add_argument("model")
    chat.add_argument("message", nargs="?", help="default: standard input")
    chat.add_argument("--system", help="the system prompt")
    tasks = command("tasks", _tasks, "List the latest tasks.")
    tasks.add_argument("--status", choices=("not_started", "running", "finished", "failed", "expired"))
    tasks.add_argument("--limit", type=int, default=20)
    command("balance", _balance, "Show the balance.")
    command("upload", _upload, "Upload a file and print its id.").add_argument("path", type=Path)
    command("delete", _delete, "Delete the files of tasks, and uploads.").add_argument(
        "ids", nargs="+", metavar="ID", help="task_… or file_…"
    )
    statement = command("statement", _statement, "Save a month's statement, to be verified.")
    statement.add_argument("month", help="such as 2026-11")
    statement.add_argument("--save", metavar="FILE", type=Path, help="default: statement-MONTH.json")
    verify_ = command(
        "verify", _verify, "Verify a statement or a receipt: nothing was added, removed or changed."
    )
    verify_.add_argument("file", type=Path)
    verify_.add_argument(
        "--keys", type=Path, metavar="FILE", help="the ledger's keys. Default: the service's"
    )
    command("completion", _completion, "Print the tab completion of a shell.").add_argument(
        "shell", choices=SHELLS
    )
    return parser


def _input(client: Client, chosen: argparse.Namespace) -> dict[str, Any]:
    params = client.model(chosen.model).get("params", [])
    return input_of(chosen.values, chosen.input, {one["name"]: one for one in params})


def _run(chosen: argparse.Namespace) -> int:
    with Client() as client:
        task = client.run(chosen.model, _input(client, chosen), max_cost_cents=chosen.max_cost_cents)
        if chosen.json:
            print(json.dumps(task.seen.data, indent=2))
            return 0
        if task.seen.output is not None:
            print(json.dumps(task.seen.output, indent=2))
        folder = Path(chosen.save)
        folder.mkdir(parents=True, exist_ok=True)
        for path in task.save(folder):
            print(path)
        print(f"{task.id} cost {_dollars(task.seen.cost_cents or 0)}", file=sys.stderr)
    return 0


def _estimate(chosen: argparse.Namespace) -> int:
    with Client() as client:
        print(_dollars(client.estimate(chosen.model, _input(client, chosen)).price_cents))
    return 0


def _models(chosen: argparse.Namespace) -> int:
    with Client() as client:
        found = client.models(kind=chosen.kind, capability=chosen.capability)
    _remember([one["id"] for one in found] if not (chosen.kind or chosen.capability) else None)
    if not found:
        raise TollgateError("no model has this kind and capability")
    _table(("Model", "Type", "From", "Name"), [_model_row(one) for one in found])
    return 0


def _model_row(model: Mapping[str, Any]) -> tuple[str, ...]:
    if model.get("kind") == "llm":
        prices = {one["key"]: one["price"] for one in model.get("pricing", [])}
        price = f"${prices.get('input', '?')} in, ${prices.get('output', '?')} out / 1M tokens"
    else:
        price = f"${model.get('priceFrom')} / {model.get('priceUnit')}"
    return str(model["id"]), str(model.get("type", "")), price, str(model.get("name", ""))


def _chat(chosen: argparse.Namespace) -> int:
    message = chosen.message if chosen.message is not None else sys.stdin.read()
    system = [{"role": "system", "content": chosen.system}] if chosen.system else []
    try:
        with Client() as client:
            for text in client.stream_chat(chosen.model, [*system, {"role": "user", "content": message}]):
                print(text, end="", flush=True)
    except BrokenStreamError:
        # The error begins on a new line.
        print()
        raise
    print()
    return 0


def _tasks(chosen: argparse.Namespace) -> int:
    rows: list[tuple[str, ...]] = []
    with Client() as client:
        for task in client.tasks(status=chosen.status):
            if len(rows) >= chosen.limit:
                break
            rows.append(_task_row(task))
    _table(("Task", "Model", "Status", "Cost", "Created"), rows)
    return 0


def _task_row(task: TaskStatus) -> tuple[str, ...]:
    cost = (task.cost_cents or 0) - (task.refunded_cents or 0)
    return task.id, task.model or "", task.status, _dollars(cost), str(task.data.get("createdAt", ""))


def _balance(_: argparse.Namespace) -> int:
    with Client() as client:
        print(_dollars(client.balance_cents()))
    return 0


def _upload(chosen: argparse.Namespace) -> int:
    with Client() as client:
        print(client.upload(chosen.path).id)
    return 0


def _delete(chosen: argparse.Namespace) -> int:
    with Client() as client:
        for one in chosen.ids:
            if one.startswith("file_"):
                client.delete_file(one)
            else:
                client.task(one).delete_files()
            print(one)
    return 0


def _statement(chosen: argparse.Namespace) -> int:
    path = chosen.save or Path(f"statement-{chosen.month}.json")
    with Client() as client:
        pages = client.statement(chosen.month)
    path.write_text(json.dumps(pages, ensure_ascii=False, indent=1), encoding="utf-8")
    print(path)
    return 0


def _verify(chosen: argparse.Namespace) -> int:
    document = _json(chosen.file.read_text(encoding="utf-8"))
    if chosen.keys is not None:
        keys = _json(chosen.keys.read_text(encoding="utf-8"))
    else:
        with Client() as client:
            keys = client.ledger_keys()
    try:
        found = verify(document, keys)
    except VerificationError as exc:
        for problem in exc.problems:
            print(problem, file=sys.stderr)
        return FAILED
    except ImportError:
        raise TollgateError("verifying needs the package cryptography: pip install cryptography") from None
    for name, value in vars(found).items():
        print(f"{name}: {value}")
    return 0


def _completion(chosen: argparse.Namespace) -> int:
    print(_COMPLETIONS[chosen.shell])
    return 0


def _dollars(cents: int) -> str:
    return f"${cents / 100:,.2f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows as a table: with Rich in a terminal if it is installed, or else in columns."""
    if sys.stdout.isatty() and importlib.util.find_spec("rich") is not None:
        from rich.console import Console
        from rich.table import Table

        table = Table(*head)
        for row in rows:
            table.add_row(*row)
        Console().print(table)
        return
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _complete(words: Sequence[str]) -> int:
    """Print completions of `words`: commands, models, fields, options. Never fails."""
    try:
        print("\n".join(_candidates(words)))
    except (TollgateError, OSError, ValueError):
        return 0
    return 0


def _candidates(words: Sequence[str]) -> list[str]:
    if not words:
        return list(COMMANDS)
    if words[0] == "completion":
        return list(SHELLS) if len(words) == 1 else []
    if words[0] in ("run", "estimate", "chat") and len(words) == 1:
        return _model_ids("llm" if words[0] == "chat" else "media")
    if words[0] in ("run", "estimate"):
        with Client(max_attempts=1, timeout=3) as client:
            params = client.model(words[1]).get("params", [])
        options = [
            f"{one['name']}={choice['value']}" for one in params for choice in one.get("options") or ()
        ]
        return [f"{one['name']}=" for one in params if not one.get("options")] + options
    return []


def _model_ids(kind: str) -> list[str]:
    """Return the ids of the models of a kind. They are requested at most once a day."""
    kept = _cache_file(kind)
    if kept.is_file() and time.time() - kept.stat().st_mtime < COMPLETION_FRESH_S:
        return kept.read_text().split()
    with Client(max_attempts=1, timeout=3) as client:
        ids = [one["id"] for one in client.models(kind=kind)]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("\n".join(ids))
    return ids


def _remember(ids: Sequence[str] | None) -> None:
    """Delete the completion cache after the catalog was listed, because the catalog may be newer."""
    if ids is not None:
        for kind in ("llm", "media"):
            _cache_file(kind).unlink(missing_ok=True)


def _cache_file(kind: str) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "tollgate" / f"models-{kind}"


if __name__ == "__main__":
    sys.exit(main())
