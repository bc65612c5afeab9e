"""Quotes: one price for many requests, and one charge and one hold for all of them.

In: a list of generations and text requests. Out: a sum that is exact for generations and the most for text;
then the tasks of all generations and the reserved money of the text requests, in one transaction
(docs/decisions/0077-quotes.md). `text/money/drawing.py` takes the holds of text requests from that money.

request.py     the list of requests, checked as a whole
parts.py       the parts of a quote, priced and stored
views.py       the responses
errors.py      the errors of quotes
service.py     create, show, start, cancel
repository.py  the rows of quotes
"""
