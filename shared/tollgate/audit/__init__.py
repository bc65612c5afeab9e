"""The audit log: who changed what of an account that decides about access or money.

In: a change. Out: a write for the change's own transaction, so that neither is there without the other.

events.py       what is noted
repository.py   the table
"""
