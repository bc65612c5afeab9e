"""Exports: the spending of an account for other programs, from its ledger.

focus.py         one row of the FOCUS file: pure
focus_file.py    the FOCUS file of a day, for customers
"""
