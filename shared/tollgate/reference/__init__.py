"""The reference: OpenAPI, a page for people and a text for language models, all made of one document.

operations.yaml   every route, in a short notation
schemas.yaml      what goes over the wire
document.py       OpenAPI 3.1 of these two, the error classes and the catalog
generations.py    the catalog's part of it: an order of each model, with an example
page.py           the document as HTML and as text
"""
