"""The scripts of others that pages load are those that their makers published, byte for byte.

The digests were taken from the packages that npm has under these versions, without the line that names a
source map, which is not shipped here.
"""

import hashlib
import re

import pytest

from local.template import ROOT

STATIC = ROOT / "functions/dashboard/static"
_SOURCE_MAP = re.compile(rb"^//# sourceMappingURL=\S*\n?", re.MULTILINE)
SCRIPTS = {
    # htmx.org, dist/htmx.min.js
    "htmx.min.js": ("2.0.11", "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"),
    # @highlightjs/cdn-assets, es/highlight.min.js
    "vendor/highlight.js": ("11.12.0", "1ed8fc5256b738b8875b74e4d3f0754f60d6411fb034d618dfbc4e6e6c9999d7"),
    # marked, lib/marked.esm.js
    "vendor/marked.js": ("18.2.1", "255357cde323c8e99263952c4596657dcef509e71553e782c47b58e1d05322d5"),
    # dompurify, dist/purify.min.js
    "vendor/purify.js": ("3.4.18", "925995c4d88c972bf0f2d665f910ed31fd9b4d1a87ef8079aa31def9cc9a8c9e"),
    # client-zip 2.5.1, index.js, which does not name its version
    "vendor/client-zip.js": ("", "28c957c53d8e5290951d4b45ccff8ab8c9c37219da08b9d537bbdd595a75706d"),
    # temml, dist/temml.min.js
    "vendor/temml.js": ("0.13.5", "1ab19148afe0dbc836b7a74f344071b3f3a70a7a8259ae4049e76894fcdf8d95"),
}


def digest(script: bytes) -> str:
    """Return the SHA-256 of a script without the line of its source map."""
    return hashlib.sha256(_SOURCE_MAP.sub(b"", script).rstrip()).hexdigest()


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_is_what_its_makers_published(name: str) -> None:
    version, expected = SCRIPTS[name]
    script = (STATIC / name).read_bytes()
    assert version.encode() in script
    assert digest(script) == expected


def test_no_other_script_of_others_is_served() -> None:
    found = {str(file.relative_to(STATIC)) for file in STATIC.rglob("vendor/*.js")}
    found |= {str(file.relative_to(STATIC)) for file in STATIC.rglob("*.min.js")}
    assert found == set(SCRIPTS)
