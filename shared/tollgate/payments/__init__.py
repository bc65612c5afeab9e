"""Top-ups: a customer pays on Stripe's page, and Stripe's signed event puts the money on the account.

In: a request to pay, later Stripe's signed event. Out: a page to pay on, and exactly one credit in the ledger
(docs/decisions/0020-payments.md).

amounts.py   the least and the most of one top-up
client.py    Stripe's library: a page, and the proof of an event
events.py    the meaning of an event for an account
claims.py    claims against a payment: refunds, disputes, warnings
book_service.py  credits a payment once, and takes claimed money back; `repository.py` stores its row
secret.py    Stripe's keys
billing_details.py  the company's details on invoices; `billing_service.py`: changes them and the saved card
errors.py    the errors of payments
service.py   from the request to the credit, and from a claim to the debit
"""
