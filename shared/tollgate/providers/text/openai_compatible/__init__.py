"""Providers that speak OpenAI's chat completions: one adapter, and the facts of each vendor.

facts.py       the vendors, and how each deviates
text.py        one request
responses.py   OpenAI's Responses API in its place, where a model takes function tools there only
"""
