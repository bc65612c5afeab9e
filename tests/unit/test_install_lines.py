"""Install lines name a known project or an address of the service, never an unregistered name."""

import re
from pathlib import Path

import pytest

from local.upkeep.prose_files import ROOT, paths

NOT_SHOWN = ("tests", "local")
"""Folders that no customer reads."""
SCRIPTS = ("functions/*/static/**/*.js", "clients/*/examples/*")
OTHERS = {
    *(
        "anthropic",
        "cohere",
        "httpx",
        "langchain-anthropic",
        "langchain-openai",
        "openai",
        "standardwebhooks",
    ),
    *("llama-index-embeddings-openai-like", "llama-index-llms-openai-like"),
    *("@ai-sdk/anthropic", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "@anthropic-ai/sdk", "ai"),
    *("@openrouter/ai-sdk-provider", "@openrouter/sdk", "cryptography", "openrouter"),
    *("@anthropic-ai/claude-code", "@openai/codex"),
}
"""Packages of other projects. Each was looked up on its registry."""
SERVED = {"tollgate-client.txt", "tollgate-client.tgz", "tollgate-mcp.txt"}
WORD = r"([^\s`\"'\\,;()]+)"
INSTALLS = re.compile(
    r"\b(?:pip3? install|uv add|uv tool install|pipx install|npm (?:i|install|add)|(?:yarn|pnpm|bun) add)"
    rf"\s+[\"']?{WORD}((?:[ \t]+[\"']?{WORD})*)"
)
RUNS = re.compile(
    rf"(?:\b(?:uvx|npx|bunx|pipx run|uv tool run)|--with-requirements)(?: -\S+)*\s+[\"']?{WORD}"
)
ADDRESS = re.compile(r"\$TOLLGATE_URL/clients/(\S+)")


def installed(text: str) -> list[str]:
    """Return each word of a text's install lines that names a package."""
    text = re.sub(r"\{\{? ?base_url ?\}\}?|\bADDRESS\b", "$TOLLGATE_URL", text)
    words = [match.expand(r"\1\2").split() for match in INSTALLS.finditer(text)]
    words += [[word] for word in RUNS.findall(text)]
    return [word.strip("\"'") for line in words for word in line if not word.startswith("-")]


def is_known(word: str) -> bool:
    """Return whether a package is another project's, or is at an address of the service."""
    found = ADDRESS.fullmatch(word)
    return found[1] in SERVED if found else word in OTHERS


def shown_files() -> list[Path]:
    """Return the repository's files that customers and operators read."""
    pages = [path for path in paths() if path.relative_to(ROOT).parts[0] not in NOT_SHOWN]
    return [*pages, *(path for pattern in SCRIPTS for path in ROOT.glob(pattern))]


class TestInstallLines:
    def test_every_package_is_known(self) -> None:
        found = {path: installed(path.read_text()) for path in shown_files()}
        unknown = {path: [word for word in words if not is_known(word)] for path, words in found.items()}
        assert {path: words for path, words in unknown.items() if words} == {}
        assert {word for words in found.values() for word in words} >= {
            "openai",
            *(f"$TOLLGATE_URL/clients/{name}" for name in SERVED),
        }

    @pytest.mark.parametrize(
        "line",
        [
            "# pip install tollgate",
            "`pip install\ntollgate-client`",
            "pip install httpx tollgate-client",
            'pip install "tollgate[rich]"',
            "npm install tollgate-client",
            "npm i --save tollgate-client",
            "-- uvx tollgate-mcp",
            "uvx --from tollgate-mcp tollgate-mcp",
            "npx -y tollgate-mcp",
            "uv add tollgate-client",
            "pip install -r https://example.com/clients/tollgate-client.txt",
            "pip install -r $TOLLGATE_URL/clients/tollgate.txt",
        ],
    )
    def test_an_unregistered_name_is_found(self, line: str) -> None:
        assert not all(map(is_known, installed(line)))
        assert installed(line)
