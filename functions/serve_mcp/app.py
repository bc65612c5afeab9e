"""Trigger: API Gateway, `/mcp`: the service as tools of the Model Context Protocol.

Calls the API over HTTP with the caller's key, so a tool has exactly the permissions of the key. Never calls
AWS: its role has no permissions.
"""

from tollgate.composition import framework  # isort: skip  # noqa: F401 - before its package
from mangum import Mangum

from tollgate.composition.parts import cors_headers
from tollgate.kit.http.base_url import base_url
from tollgate.kit.http.cors import CrossOrigin
from tollgate.kit.version import VERSION
from tollgate.mcp.http import McpApp

app = CrossOrigin(McpApp(VERSION, base_url), cors_headers)
handler = Mangum(app, lifespan="off")
