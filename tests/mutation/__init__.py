"""Bounded mutation testing: a sample of small changes of the code, and which of them no test notices."""
