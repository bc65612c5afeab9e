"""The audit log: who changed what of an account that decides about access or money, and who came in.

In: a change. Out: a write for the change's own transaction, so that neither is there without the other.

events.py       what is noted, and in which log
notes.py        the write of a line
refusals.py     sign-ins that were refused
repository.py   the table
"""
