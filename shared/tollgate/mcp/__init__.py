"""The service as tools of the Model Context Protocol, for agents (https://modelcontextprotocol.io).

service.py   the API as the tools call it: over HTTP, with the caller's own key, like any other customer
tools.py     the tools: what an agent is told of each, and what it gets back
http.py      streamable HTTP without sessions, so that a function can serve it
stdio.py     the same tools as a program that an agent starts (`uvx tollgate-mcp`)

It imports nothing else of this package: `clients/mcp` ships it by itself.
"""
