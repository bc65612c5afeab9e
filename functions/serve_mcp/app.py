"""Trigger: API Gateway, `/mcp`: the service as tools of the Model Context Protocol.

Asks the API over HTTP with the caller's own key, so that a tool can do what its key can and no more. Never
touches AWS: its role allows nothing.
"""

from functools import cache

from mangum import Mangum

from tollgate.kit.base_url import base_url
from tollgate.kit.cors import CrossOrigin, headers_for
from tollgate.kit.settings import Settings
from tollgate.kit.version import VERSION
from tollgate.mcp.http import McpApp


# Not in tollgate.composition: that imports boto3, which is not needed here.
@cache
def cors_headers() -> dict[str, str]:
    """Return the headers that let a page of another origin read an answer."""
    return headers_for(Settings.from_env().allowed_origin)


app = CrossOrigin(McpApp(VERSION, base_url), cors_headers)
handler = Mangum(app, lifespan="off")
