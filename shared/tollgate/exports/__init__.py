"""Exports: the requests and the costs of an account for other programs, from its ledger.

    an entry of the ledger, an ended task ─► offers ─► WebhookQueue ─► sender ─► deliveries, spans

settings.py      the settings of an account, and their shape in the API
request.py       the body that changes them
service.py       shows and changes them; `repository.py`: their rows
offers.py        hands requests that ended to the sender, if their account exports them
sender.py        creates a delivery for each request, and sends spans
spans.py         spans of requests in OTLP's JSON: pure
focus.py         one row of the FOCUS file: pure
focus_file.py    the FOCUS file of a day, for customers
bucket.py        writes the files of a day into the bucket of the customer
"""
