"""Where parts are joined: one module a function, and what several share.

In: the environment. Out: a function's parts, joined when they are first asked for; nothing is built at
import, as all of that is cold start (docs/decisions/0023-cold-starts.md).

parts.py     what all functions are joined with
snapshot.py  what a process forgets that SnapStart restored
database.py  the database; `ledger.py`: the ledger in it
catalog.py   the live catalog; `media_catalog.py`: with its media models
*.py         one module for each function, of its name
command.py   the operator's command
"""

import gc

# What is made while a function starts lives as long as its process. To look through it for garbage at every
# 2 000 new objects, Python's habit, takes up to a tenth of a cold start's CPU and finds nothing.
gc.set_threshold(20_000)
