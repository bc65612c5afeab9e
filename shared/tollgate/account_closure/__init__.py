"""The end of an account: an owner asks for it, has a week to think again, then its data is erased.

    asked for ─► keys and sessions ended ─► 7 days, the owner may keep it ─► balance is 0 ─► erased

What stays and why: shared/tollgate/reference/site/closing.md; docs/decisions/0031-closing-an-account.md.

service.py      ask for it, keep the account
worker.py       what is due: shut, wait for a refund, erase
erasure.py      the steps, each harmless when it is repeated
user_pool.py    people's entries in Cognito's pool
repository.py   the rows of all tables that are about one account
"""
