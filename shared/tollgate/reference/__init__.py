"""The reference: OpenAPI, a page for people and a text for language models, all made of one document.

operations.yaml   every route, in a short notation
schemas.yaml      what goes over the wire
document.py       OpenAPI 3.1 of these two, the error classes and the catalog
generations.py    the catalog's part of it: the create body of each model, with an example
pages.py          the document as JSON, HTML and text; views.py puts it in a page's words
"""
