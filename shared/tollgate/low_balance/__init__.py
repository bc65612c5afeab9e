"""What happens when a balance falls below its owner's threshold: a mail, a webhook, a top-up if wished for.

In: new entries of the ledger. Out: at most one notice, one event and one payment for each fall
(docs/decisions/0028-a-low-balance.md).

rules.py        a fall, and what is to be done about it
repository.py   the one row of an account that decides
watch.py        from an entry to a fall
refill.py       from a fall to a mail and a payment
settings.py     what owners set
mails.py        what the mails say
"""
