"""Variables of the functions that the template takes from resources which a bench does not make."""

from local.machine.service import PROVIDERS


def overrides(endpoint: str, **more: str) -> dict[str, str]:
    """Return the variables of functions at the emulator, with `more`: all providers are live."""
    functions = ("PROBE_FUNCTION", "DRAW_FUNCTION", "API_FUNCTION", "RUN_RESPONSE_FUNCTION")
    return {
        "STORAGE_URL": "https://files.test",
        "AWS_ENDPOINT_URL": endpoint,
        **dict.fromkeys(functions, "none"),
        "CALLBACK_BASE_URL": "https://api.test",
        "DASHBOARD_URL": "https://api.test/dashboard",
        "LIVE_PROVIDERS": ",".join(PROVIDERS),
        **more,
    }
