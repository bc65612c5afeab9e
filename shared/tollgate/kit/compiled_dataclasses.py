"""Takes the methods of dataclasses from byte code that the layer's build stored.

`@dataclass` writes the methods of a class as Python source and compiles it in every process. That takes
0.6 ms of CPU for each class, which was a third of a cold start. Byte-compiled modules do not help, because
this source is in no file. So the build stores its code too, by the hash of the source
(`local/deploy/compiled_dataclasses.py`).

A source without stored code is compiled as before. So nothing depends on the file: a checkout has none, and
another version of Python ignores it (docs/decisions/0023-cold-starts.md).
"""

import dataclasses
import marshal
from collections.abc import Iterable, Mapping
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("dataclasses.marshal")


def packed(sources: Iterable[str]) -> bytes:
    """Return the file's content for the sources of methods.

    Like a .pyc file, it starts with the number of this Python's byte code.
    """
    codes = {
        source_hash(source.encode()): marshal.dumps(compile(source, "<string>", "exec", dont_inherit=True))
        for source in sources
    }
    return MAGIC_NUMBER + marshal.dumps(codes)


def use_compiled(file: Path = FILE) -> None:
    """Let `dataclasses` execute stored code instead of a source, if there is a file for this Python."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return
    if not content.startswith(MAGIC_NUMBER):
        return
    # As trustworthy as the layer's modules, which are stored in the same form.
    codes: Mapping[bytes, bytes] = marshal.loads(memoryview(content)[len(MAGIC_NUMBER) :])  # noqa: S302

    def execute(source: str, names: dict[str, Any], local_names: dict[str, Any]) -> None:
        code = codes.get(source_hash(source.encode()))
        exec(source if code is None else marshal.loads(code), names, local_names)  # noqa: S102, S302

    # A name of the module hides the builtin of that name. tests/unit/test_compiled_dataclasses.py checks that
    # `dataclasses` still calls it.
    vars(dataclasses)["exec"] = execute
