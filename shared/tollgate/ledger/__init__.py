"""Money: the balance and the append-only ledger. Nothing else writes either.

In: amounts with what they are for. Out: writes (values of `kit/writes.py`) that move a balance together
with its row, or refuse. Nothing else writes either (docs/ledger.md).

entries.py      ledger entries as values; their ids are made from what they are for
repository.py   the writes of media: charge, refund, credit
holds.py        the writes of text: hold, record, settle, void
caps.py         spending caps of keys; `rate.py`: requests per minute
statement.py    the ledger as its customer reads it; `query.py` reads the question
audit.py        balance + open holds = sum of entries; `service.py` proves it daily
"""
