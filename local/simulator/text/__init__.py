"""The text providers: OpenAI's chat completions, as each vendor speaks them, and Anthropic's messages.

A vendor's base URL is `http://127.0.0.1:<port>/<vendor>/v1`, Anthropic's `http://127.0.0.1:<port>/anthropic`.
What an answer shall go through is written into its prompt, see `directions.py`.
"""

from collections.abc import Callable

from fastapi import APIRouter

from local.simulator.engine import Engine
from local.simulator.text import messages
from local.simulator.text.completions import router
from local.simulator.text.vendors import VENDORS

PROVIDERS: dict[str, Callable[[Engine], APIRouter]] = {
    **dict.fromkeys(VENDORS, router),
    "anthropic": messages.router,
}
"""Each text provider's routes, by the name that is its path prefix."""
