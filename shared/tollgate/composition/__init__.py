"""Where parts are joined: one module a function, and what several share.

Only what starts a process imports this package, so what it needs once is done here. No other package of
Tollgate does anything by being imported.
"""

import gc

# What is made while a function starts lives as long as its process. To look through it for garbage at every
# 2 000 new objects, Python's habit, takes up to a tenth of a cold start's CPU and finds nothing.
gc.set_threshold(20_000)
