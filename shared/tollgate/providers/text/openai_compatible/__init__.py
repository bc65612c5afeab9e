"""Providers with OpenAI's chat completions: one adapter, and the facts of each vendor.

facts.py       the vendors, and the deviations of each
vendor.py      the form of a vendor
text.py        one request
parts.py       responses whose content is a list of parts
responses.py   OpenAI's Responses API, for models that support function tools only there
"""
