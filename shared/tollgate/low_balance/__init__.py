"""The reaction to a balance below its owner's threshold: a mail, a webhook, a top-up if set.

In: new entries of the ledger. Out: at most one mail, one event and one payment each time that a balance
falls below its threshold (docs/decisions/0028-a-low-balance.md).

rules.py        a crossing of the threshold, and the reaction to it
repository.py   the one row of an account that decides
monitor.py      finds crossings in new entries, and records them
refill.py       the payment and the mail after a crossing
service.py      the owners' settings
mails.py        the texts of the mails
"""
