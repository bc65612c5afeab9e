"""Tollgate: one API key and one prepaid balance for media generation and text models.

Lower rooms know nothing of higher ones; import-linter holds that (pyproject.toml).

closing/       the end of an account
composition/   joins what each function needs
operating/     what operators do; command/: the same as a command, run by `__main__.py`
tasks/         a generation, from create to its end; text/: a chat, from request to bill
webhooks/      what is told of an end; probing/: what a customer's file is
artifacts/     files in our storage; thumbnails/: small images of them
providers/     who makes it, each in its own words
catalog/       which models there are, and what they cost
accounts/      who is calling; members/: the people of an account
ledger/        money; payments/: top-ups; low_balance/: told and refilled
notices/       what members are told by mail
usage/         statistics; activity/: each request and its cost; audit/: who changed what
dashboard/     what the pages compute; reference/: OpenAPI and the docs; mcp/: the service as tools
visits/        a customer of our own, from outside
kit/           what all of them stand on
"""
