"""Creates and connects the parts of each function, in one module per function.

In: the environment. Out: a function's parts, created on first use. Importing these modules creates nothing,
because every import adds to the cold start (docs/decisions/0023-cold-starts.md).

parts.py     the parts of all functions
snapshot.py  the state that a process discards after SnapStart restored it
database.py  the database; `ledger.py`: the ledger in it
catalog.py   the live catalog; `media_catalog.py`: the catalog with its media models
*.py         one module for each function, with the function's name
command.py   the operator's command
framework.py settings that must precede the import of FastAPI
"""

import gc
from functools import cache

# Objects from the start of a function live as long as the process. By default, Python searches them for
# garbage after every 2 000 new objects. This takes up to a tenth of a cold start's CPU and finds nothing. The
# largest start creates 120 000 objects, so this threshold prevents every search.
STARTING = 200_000
SERVING = 20_000
gc.set_threshold(STARTING)


@cache
def has_started() -> None:
    """Collect garbage again, without the objects of the start. Called when the first part is created."""
    gc.freeze()
    gc.set_threshold(SERVING)
