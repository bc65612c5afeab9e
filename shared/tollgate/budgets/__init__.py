"""Budgets as customers manage them: hard limits for an account, its keys, end users and tags.

In: requests about budgets, and new entries of the ledger. Out: the definitions that `ledger/budgets.py`
checks with each charge, and notices when a share of a budget is spent.

service.py  list, create, change, delete, and show the spending of each value
request.py  the body of a request, checked as a whole
views.py    the responses
errors.py   the errors of budgets
monitor.py  notices at 50, 80 and 100 percent: mails and webhooks
"""
