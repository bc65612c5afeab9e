"""Run tokens: short-lived keys for agents, each with its own exact limit.

In: requests of keys and of members about tokens. Out: the key of a token, and the row of its budget, which
`ledger/runs.py` checks with each charge.

service.py     create, show, list, revoke
request.py     the body of a request, checked as a whole
views.py       the responses
errors.py      the errors of run tokens
repository.py  the rows of tokens
"""
