"""Money: the balance and the append-only ledger. Nothing else writes either (docs/ledger.md).

In: decisions to charge, hold, settle, refund or credit. Out: writes (values of `kit/writes.py`) that move a
balance together with its row, or refuse; `tasks` and `text` carry them out. Accounts are known here by their
id and their row alone: `tollgate.accounts` imports this package, never the reverse.

entries.py      ledger entries as values; their ids are made from what they are for
repository.py   the writes of media: charge, refund, credit; what reads the ledger
holds.py        the writes of text: hold, record, settle, void, renew; who decides how a hold ends
expiry.py       holds whose request never ended, as the sweep resolves them
wallets.py      several rows of one account; `wallet_repository.py` reads and writes them
caps.py         spending caps of keys; `rate.py`: requests per minute; both counted by the writes of money
request_counts.py  requests of any kind in a minute
statement.py    the ledger as its customer reads it; `query.py` reads the question
audit.py        balance + open holds = sum of entries, pure; `service.py` proves it daily
standing.py     whether an account may spend
checkpoints.py  what the proof remembers, so that it reads only what is new
"""
