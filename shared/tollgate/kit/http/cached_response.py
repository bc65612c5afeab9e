"""A response with a body that caches may keep, or 304 if the client has it (RFC 9110, 13.1.2). Pure."""

from collections.abc import Mapping

from starlette.responses import Response

from tollgate.kit.http.cached_body import CachedBody

NOT_MODIFIED = 304
REVALIDATED = "no-cache"
"""A cache asks each time whether it has the current bytes."""


def cached_response(
    page: CachedBody,
    if_none_match: str | None,
    media_type: str = "application/json",
    cache_control: str = REVALIDATED,
    more: Mapping[str, str] | None = None,
) -> Response:
    """Return the page for a request with this `If-None-Match`; `more` are additional headers."""
    headers = {"etag": page.etag, "cache-control": cache_control, **(more or {})}
    if page.matches(if_none_match):
        return Response(status_code=NOT_MODIFIED, headers=headers)
    return Response(page.body, headers=headers, media_type=media_type)
