"""What is known of those providers rests on that have no client in a registry, or none that speaks HTTP."""

from collections.abc import Mapping

_PAGES = "its documentation and independent public clients, as this page says of each fact"

BASIS: Mapping[str, str] = {
    "apimart": _PAGES,
    "kie": _PAGES,
    "kling": "its documentation and, for the classic API, the AI SDK's provider, read and not run",
    "minimax": _PAGES,
    "mjproxy": "the open source of its servers and its documentation",
    "muapi": _PAGES,
    "openai_compatible": "each vendor's documentation, and recorded answers of nine of them",
    "piapi": _PAGES,
    "pixverse": "its documentation alone",
    "poyo": _PAGES,
}
