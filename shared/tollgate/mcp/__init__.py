"""The service as tools of the Model Context Protocol, for agents (https://modelcontextprotocol.io).

service.py   a client of the API for the tools: HTTP with the caller's key
tools.py     the tools: their descriptions for agents, and their results
http.py      streamable HTTP without sessions, so that a Lambda function can serve it
stdio.py     the same tools as a program that an agent starts (`tollgate-mcp`)

It imports nothing else of this package, because `clients/mcp` ships it separately.
"""
