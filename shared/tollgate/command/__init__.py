"""The `tollgate` command, for operators. It ships with the package and runs on their machines only.

app.py          the command itself, and how its errors look
accounts.py     `tollgate accounts`: open
catalog.py      `tollgate catalog`: lint, diff, push, pull, reset
comparison.py   what differs between two catalogs
errors.py       what stops it
place.py        which service is meant: a stack, or the one that runs on this machine
secrets.py      `tollgate secrets`: set, list
"""
