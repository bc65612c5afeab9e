"""Trigger: API Gateway, `/mcp`: the service as tools of the Model Context Protocol.

Asks the API over HTTP with the caller's own key, so that a tool can do what its key can and no more. Never
touches AWS: its role allows nothing.
"""

from tollgate.composition import framework  # isort: skip  # noqa: F401 - before its package
from mangum import Mangum

from tollgate.composition.parts import cors_headers
from tollgate.kit.base_url import base_url
from tollgate.kit.cors import CrossOrigin
from tollgate.kit.version import VERSION
from tollgate.mcp.http import McpApp

app = CrossOrigin(McpApp(VERSION, base_url), cors_headers)
handler = Mangum(app, lifespan="off")
