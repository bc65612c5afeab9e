"""The variables of the functions that the template takes from resources which the emulators do not make."""

from local.machine.service import PROVIDERS

STORAGE_URL = "https://files.test"


def overrides(**more: str) -> dict[str, str]:
    """Return these variables, with `more`. All providers are live."""
    return {
        "STORAGE_URL": STORAGE_URL,
        "LIVE_PROVIDERS": ",".join(PROVIDERS),
        "CALLBACK_BASE_URL": "https://api.test",
        "DASHBOARD_URL": "https://api.test/dashboard",
        "PROBE_FUNCTION": "ProbeMediaFunction",
        "DRAW_FUNCTION": "DrawThumbnailFunction",
        "API_FUNCTION": "ApiFunction",
        "RUN_RESPONSE_FUNCTION": "RunResponseFunction",
        **more,
    }
