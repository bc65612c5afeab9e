"""The audit log of an account: changes to access or money, sign-ins, uploads and deletions.

In: a change. Out: a write for the change's own transaction, so that both are written or neither.

events.py       the actions, and the log of each
notes.py        the write of one event
refusals.py     refused sign-ins
repository.py   the table
"""
