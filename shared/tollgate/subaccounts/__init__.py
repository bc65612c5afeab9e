"""Sub-accounts: accounts of end customers, each with its wallet, that belong to a parent account.

The parent creates them, moves money to them and back, and earns a mark-up on their prices. Their ledgers and
counters are in `ledger/families.py`. Rules for customers: site/subaccounts.md.

service.py     create, show, change, transfer money, close; act for a sub-account
request.py     the bodies of requests, checked as a whole
views.py       sub-accounts as stored and as shown
repository.py  the parent's list of its sub-accounts
errors.py      the errors of sub-accounts
closing.py     the return of the rest to the parent
suspending.py  suspends and resumes them with the parent
"""
