"""Top-ups: a customer pays on Stripe's own page, and the signed event of it puts the money on the account.

In: a wish to pay, later Stripe's signed event. Out: a page to pay on, and one credit in the ledger, once
(docs/decisions/0020-payments.md).

amounts.py   how much at once
client.py    Stripe's library: a page, and the proof of an event
events.py    what an event means for an account
claims.py    what is claimed back of a payment: refunds, disputes, warnings
book_service.py  credits a payment once, and takes back what is claimed of it; `repository.py` keeps its row
secret.py    Stripe's keys
service.py   from the wish to the credit, and from a claim to the debit
"""
