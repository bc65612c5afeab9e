"""Tollgate: one API key and one prepaid balance for media generation and text models.

Lower packages never import higher ones; import-linter checks that (pyproject.toml).

account_closure/  the end of an account
composition/   joins what each function needs
operator/      what operators do; command/: the same as a command, run by `__main__.py`
tasks/         a generation, from create to its end; text/: a chat, from request to bill
webhooks/      events about ended tasks; probing/: facts about customers' files
artifacts/     files in our storage; thumbnails/: small images of them
providers/     who makes it, each in its own words
catalog/       which models there are, and what they cost
accounts/      who is calling; members/: the people of an account
ledger/        money; payments/: top-ups; low_balance/: notices and refills
notices/       mails to members
usage/         statistics; activity/: each request and its cost; audit/: who changed what
web/           what the pages compute; reference/: OpenAPI and the docs; mcp/: the service as tools
visits/        Tollgate's own customer, from outside
kit/           what all of them stand on
"""
