"""The name of a browser and its system, for the list of a person's sessions. Pure.

Browsers name others before themselves in `User-Agent`, so the order of these words decides
(https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Browser_detection_using_the_user_agent).
"""

_BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Macintosh": "macOS",
    "Linux": "Linux",
}


def browser_of(agent: str) -> tuple[str, str]:
    """Return the browser and the system that a `User-Agent` names; an unknown one is empty."""
    return _first(agent, _BROWSERS), _first(agent, _SYSTEMS)


def _first(agent: str, words: dict[str, str]) -> str:
    return next((name for word, name in words.items() if word in agent), "")
