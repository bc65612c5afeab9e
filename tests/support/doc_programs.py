"""The programs of a page of the docs, run in order as a reader would: one shell, one Python interpreter."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import httpx

from local.template import ROOT
from tests.support.doc_interpreter import BLOCK_S, ERRORS, Interpreter
from tollgate.reference.guides import guides

OWN_PAGES = ("README.md", *(f"docs/{file.name}" for file in sorted((ROOT / "docs").glob("*.md"))))
"""Pages of the repository. Beside them there are those that the service shows."""
GENERATED = ("models/text-embedding-3-small", "models/z-image", "api/createGeneration")
"""A generated page of each kind; the others have the same programs with another model or endpoint."""
PAGES = (*OWN_PAGES, *(doc.path or "index" for doc in guides()), *GENERATED)
NOT_RUN: Mapping[tuple[str, str], str] = {
    ("README.md", "make run"): "starts the service that the tests start themselves",
    (
        "README.md",
        "export TOLLGATE_URL=http://127.0.0.1:8080 \\",
    ): "run by tests/journey/test_docs_programs.py",
    ("docs/local.md", "EMULATOR="): "reads files of `make run`",
    ("docs/deploy.md", ""): "acts on a stack in AWS",
    ("docs/operating.md", ""): "acts on a stack in AWS",
    ("docs/runbook.md", ""): "acts on a stack in AWS",
    ("docs/performance.md", ""): "measurements, which take the whole machine for minutes",
    ("use/aider", "export OPENAI_API_BASE"): "aider is not installed for tests; run by hand",
    ("use/llamaindex", "# pip install llama-index"): "needs an older openai than the tests; run by hand",
    ("use/openrouter", ""): "its SDKs are not installed for tests; run by hand",
    ("rerank", "# pip install cohere"): "Cohere's SDK is not installed for tests; run by hand",
    ("rerank", "import { createCohere"): "Cohere's provider is not installed for tests; run by hand",
    ("use/mcp", "claude mcp add tollgate-program"): "run by tests/clients/test_served_packages.py",
    ("verify", ""): "needs the Python client and a sealed request; see tests/functional/test_seals.py",
    ("use/tollgate", "import { Client }"): "run by tests/clients/test_served_packages.py",
    ("docs/local.md", "make image"): "needs Docker; built by hand",
    ("docs/local.md", "export TOLLGATE_URL=http://127.0.0.1:8080"): "the same in two lines",
}
"""Why a program is not run, by its page and its beginning."""
OF_CLIENTS = tuple(f"use/{name}" for name in ("claude-code", "codex", "mcp", "opencode", "tollgate"))
"""Pages whose programs need the commands that they are about."""
SETTINGS = re.compile(r"(~/)?[\w./-]+\.(json|toml|yaml|yml)")
"""The label of a file that a reader saves."""
KEY = "tg_live_YOUR_KEY"
SERVES = ("serve_forever()", ".listen(")
PORT = 9000
"""Of the receivers in the docs."""
HOOK_URL = f"http://127.0.0.1:{PORT}/hook"
FILES = {"start.png": "image.png", "song.mp3": "track.mp3"}
"""Files that a reader has, and those of the test models that stand in for them."""
FENCE = re.compile(r"^```(\w*)(?: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {"bash", "python", "javascript", "typescript"}
OTHERS = {"json", "toml", "yaml", "http", "text"}
"""What a block can be that is no program."""
OUTPUT, RECEIVED = "output", "output of the receiver"
GIVEN = {"TOLLGATE_URL", "TOLLGATE_API_KEY", "HOOK_URL"}
"""Variables whose placeholders a reader replaces."""
DONE = "\x1e"
_BARE = """const ts = require(process.argv[1]);
const options = {compilerOptions: {target: "ES2022", module: "ESNext"}};
process.stdout.write(ts.transpileModule(require("fs").readFileSync(0, "utf8"), options).outputText);"""
PAUSE_S = 0.05


@dataclass(frozen=True, slots=True)
class Program:
    """A program, with the output that the page shows for it."""

    language: str
    label: str
    code: str
    output: str | None

    @property
    def is_set_up(self) -> bool:
        """Return whether it only sets variables that the reader fills in."""
        names = re.findall(r"^export (\w+)=\S*$", self.code, re.MULTILINE)
        return len(names) == len(self.code.splitlines()) and GIVEN.issuperset(names)


def programs(text: str) -> list[Program]:
    """Return the programs of a page in their order. An output belongs to all programs directly above it."""
    found: list[Program] = []
    above, end = 0, 0
    for fence in FENCE.finditer(text):
        language, label, code = fence[1], fence[2] or "", fence[3]
        if text[end : fence.start()].strip():
            above = len(found)
        end = fence.end()
        if label == OUTPUT and above < len(found):
            found[above:] = [Program(one.language, one.label, one.code, code) for one in found[above:]]
        elif language in PROGRAMS:
            found.append(Program(language, label, code, None))
    return found


def looks_like(expected: str, printed: str) -> bool:
    """Return whether a program printed its output; `…` stands for any text."""
    pattern = ".*".join(map(re.escape, expected.strip().split("…")))
    if not printed.strip():
        return False
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def page_text(page: str, base_url: str) -> str:
    """Return a page as its reader sees it."""
    if page in OWN_PAGES:
        return (ROOT / page).read_text()
    return httpx.get(f"{base_url}/docs/{page}.md", timeout=BLOCK_S).raise_for_status().text


def to_run(page: str, text: str, languages: Collection[str]) -> list[Program]:
    """Return the programs of a page in some languages, without those that `NOT_RUN` names."""
    return [
        one
        for one in programs(text)
        if one.language in languages
        and not one.is_set_up
        and not any(page == of and one.code.startswith(head) for of, head in NOT_RUN)
    ]


def read(
    page: str, service: Mapping[str, Any], folder: Path, languages: Collection[str], **more: str
) -> None:
    """Run the programs of a page in `folder`, and compare their outputs with the page's.

    `more` are variables of the environment, such as a `PATH` with more programs.
    """
    text = page_text(page, service["baseUrl"])
    variables = {
        "TOLLGATE_URL": service["baseUrl"],
        "TOLLGATE_API_KEY": service["apiKey"],
        "HOOK_URL": HOOK_URL,
        **more,
    }
    for name, sample in FILES.items():
        shutil.copy(ROOT / "shared/tollgate/providers/media/test/files" / sample, folder / name)
    save_settings(text, folder, service["apiKey"])
    received: list[str] = []
    with Reader(folder, variables) as reader, ExitStack() as servers:
        for program in to_run(page, text, languages):
            if any(call in program.code for call in SERVES):
                received = servers.enter_context(reader.serving(program))
                continue
            printed = reader.run(program)
            assert program.output is None or looks_like(program.output, printed), (
                f"{program.code}\nprinted:\n{printed}\ninstead of:\n{program.output}"
            )
        for fence in FENCE.finditer(text):
            if fence[2] == RECEIVED:
                _arrives(fence[3], received)


def save_settings(text: str, folder: Path, api_key: str) -> None:
    """Save the settings of a page in `folder`, which is the home of its reader too."""
    for fence in FENCE.finditer(text):
        if SETTINGS.fullmatch(fence[2] or ""):
            file = folder / fence[2].removeprefix("~/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fence[3].replace(KEY, api_key))


def _arrives(expected: str, lines: list[str]) -> None:
    """Wait until a server in the background has printed what the page shows."""
    end = time.monotonic() + BLOCK_S
    while not looks_like(expected, "".join(lines)):
        assert time.monotonic() < end, lines
        time.sleep(PAUSE_S)


class Reader:
    """Runs programs in a folder, with the variables that the shell exports."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self._folder = folder
        self._given = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT / "clients/python/src"),
            **variables,
        }
        self._shell = _Session(["bash", "-euo", "pipefail"], folder, self._given)
        self._python: Interpreter | None = None
        self._count = 0

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self._shell.end()
        if self._python:
            self._python.end()

    def run(self, program: Program) -> str:
        """Run a program; return what it printed."""
        file = self._file(program)
        match program.language:
            case "bash":
                # The shell's own input are the commands of this session.
                return self._shell.run(f"source {file} </dev/null; printf '{DONE}\\n'")
            case "python":
                self._python = self._python or Interpreter(self._folder, self.variables())
                return self._python.run(file)
        done = subprocess.run(
            self.command(program, file),
            cwd=self._folder,
            env=self.variables(),
            capture_output=True,
            text=True,
            timeout=BLOCK_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def serving(self, program: Program) -> Iterator[list[str]]:
        """Run a server in the background; give the lines that it prints."""
        with subprocess.Popen(
            self.command(program, self._file(program)),
            cwd=self._folder,
            env=self.variables(),
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            lines: list[str] = []
            reading = Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
            reading.start()
            try:
                _opens(PORT)
                yield lines
            finally:
                process.terminate()
                reading.join(BLOCK_S)

    def command(self, program: Program, file: Path) -> list[str]:
        """Return the command that runs a program as a process."""
        return [{"python": sys.executable, "bash": "bash"}.get(program.language, "node"), str(file)]

    def variables(self) -> dict[str, str]:
        """Return the variables that the shell exports now."""
        told = self._shell.run(f"env -0 | tr '\\0' '\\1'; printf '{DONE}\\n'")
        return dict(one.split("=", 1) for one in told.split("\1") if "=" in one)

    def _file(self, program: Program) -> Path:
        self._count += 1
        suffix = {"bash": "sh", "python": "py"}.get(program.language, "mjs")
        file = self._folder / f".program-{self._count}.{suffix}"
        file.write_text(_bare(program.code) if program.language == "typescript" else program.code)
        return file


def _opens(port: int) -> None:
    """Wait until a server listens."""
    end = time.monotonic() + BLOCK_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=BLOCK_S).close()
        except ConnectionRefusedError:
            assert time.monotonic() < end
            time.sleep(PAUSE_S)


def _bare(code: str) -> str:
    """Return TypeScript without its types."""
    compiler = str(ROOT / "clients/typescript/node_modules/typescript")
    done = subprocess.run(
        ["node", "-e", _BARE, compiler],
        input=code,
        capture_output=True,
        text=True,
        timeout=BLOCK_S,
        check=True,
    )
    return done.stdout


class _Session:
    """A process that runs a program for each line and prints `DONE` after it."""

    def __init__(self, command: list[str], folder: Path, variables: Mapping[str, str]) -> None:
        self._errors = (folder / ERRORS).open("a+")
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._lines: Queue[str | None] = Queue()
        self._reading = Thread(target=self._read, daemon=True)
        self._reading.start()

    def run(self, line: str) -> str:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        printed = ""
        while True:
            try:
                one = self._lines.get(timeout=BLOCK_S)
            except Empty:
                one = None
            assert one is not None, f"{printed}\n{self._told()}"
            printed += one
            if printed.endswith(f"{DONE}\n"):
                return printed.removesuffix(f"{DONE}\n")

    def end(self) -> None:
        self._process.kill()
        self._process.wait(BLOCK_S)
        self._reading.join(BLOCK_S)
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe:
                pipe.close()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put(None)

    def _told(self) -> str:
        self._errors.seek(0)
        return self._errors.read()
