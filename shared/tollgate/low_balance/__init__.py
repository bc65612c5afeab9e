"""The reaction to a balance below its owner's threshold: a mail, a webhook, a top-up if set.

In: new entries of the ledger. Out: at most one notice, one event and one payment for each fall
(docs/decisions/0028-a-low-balance.md).

rules.py        a fall, and the reaction to it
repository.py   the one row of an account that decides
watch.py        from an entry to a fall
refill.py       from a fall to a mail and a payment
settings.py     the owners' settings
mails.py        the texts of the mails
"""
