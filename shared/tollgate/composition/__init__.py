"""Where parts are joined: one module a function, and what several share.

In: the environment. Out: a function's parts, joined when they are first asked for; nothing is built at
import, as all of that is cold start (docs/decisions/0023-cold-starts.md).

parts.py     what all functions are joined with
snapshot.py  what a process forgets that SnapStart restored
database.py  the database; `ledger.py`: the ledger in it
catalog.py   the live catalog; `media_catalog.py`: with its media models
*.py         one module for each function, of its name
command.py   the operator's command
framework.py what is imported before FastAPI
"""

import gc
from functools import cache

# What is made while a function starts lives as long as its process. To look through it for garbage at every
# 2 000 new objects, Python's habit, takes up to a tenth of a cold start's CPU and finds nothing: the largest
# start makes 120 000, so none of them is looked through.
STARTING = 200_000
SERVING = 20_000
gc.set_threshold(STARTING)


@cache
def has_started() -> None:
    """Look for garbage again, and never among what the start made. Called when the first part is joined."""
    gc.freeze()
    gc.set_threshold(SERVING)
