"""Account closure: an owner requests it, can cancel it for a week, and then the account's data is erased.

    requested ─► keys revoked, sessions ended ─► 7 days in which an owner can cancel ─► balance is 0 ─► erased

Which data remains, and the reasons: docs/decisions/0031-closing-an-account.md.

service.py      request and cancel the closure
worker.py       continues each closure that is due: end access, wait for a refund, erase
erasure.py      the steps of the erasure; each can be repeated
user_pool.py    deletes people from Cognito's user pool
repository.py   finds, deletes and pseudonymises an account's rows in all tables
"""
