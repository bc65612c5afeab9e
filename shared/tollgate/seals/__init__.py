"""Seals: signed roots of each account's ledger entries by day, so customers can verify their bill offline.

    a day's entries ─► blocks of 1,024 ─► one Merkle root ─► signed, with the day before ─► statement, receipt

In: the entries of the ledger, hours after they were written. Nothing here is part of a request that moves
money. Out: rows that are only added. Reasons: docs/decisions/0069-a-bill-that-can-be-verified.md.

verification.py  verifies statements and receipts; a copy is in the Python client
tree.py          Merkle trees of blocks, and the path of one entry
models.py        seals and blocks as values, and the public form of an entry
repository.py    their rows, and the published keys
signing.py       the signing key, made from a secret
sealer.py        seals the days of an account; `functions/check_ledger` runs it
views.py         the shapes of responses
service.py       statements with proofs, receipts and the published keys, for customers
"""
