"""Tollgate: one API key and one prepaid balance for media generation and text models."""

import gc

# What is made while a function starts lives as long as its process. To look through it for garbage at every
# 2 000 new objects, Python's habit, takes up to a tenth of a cold start's CPU and finds nothing.
gc.set_threshold(20_000)
