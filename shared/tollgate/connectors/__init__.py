"""Connectors: chat products that use an account through MCP, with a sign-in instead of a copied key.

Tollgate is the authorization server of the MCP server. In: requests of OAuth clients, and the consent of
a signed-in person. Out: tokens, each of which is an API key of the account (decision 0063).

metadata.py     the two documents by which clients find the endpoints
clients.py      clients: their registration, and their addresses for answers
documents.py    clients that describe themselves at an address: fetch and check the document
requests.py     the authorization request of a client, checked as a whole
errors.py       the errors of OAuth
repository.py   authorization codes in DynamoDB
service.py      consent, code, tokens, refresh, revocation

Sources: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization,
RFC 6749, 7009, 7591, 7636, 8252, 8414, 8707, 9207, 9700 and 9728.
"""
