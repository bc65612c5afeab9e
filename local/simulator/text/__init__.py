"""The text providers: OpenAI's chat completions with vendors' deviations, Anthropic's messages, Converse.

A vendor's base URL is `http://127.0.0.1:<port>/<vendor>/v1`, Anthropic's `http://127.0.0.1:<port>/anthropic`,
Bedrock's `…/bedrock`. Directions in a prompt control its response (`directions.py`).
"""

from collections.abc import Callable

from fastapi import APIRouter

from local.simulator.engine import Engine
from local.simulator.text import converse, messages
from local.simulator.text.completions import router
from local.simulator.text.vendors import VENDORS

PROVIDERS: dict[str, Callable[[Engine], APIRouter]] = {
    **dict.fromkeys(VENDORS, router),
    "anthropic": messages.router,
    "bedrock": converse.router,
}
"""The routes of each text provider, by its name, which is its path prefix."""
