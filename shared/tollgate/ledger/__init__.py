"""Money: the balance and the append-only ledger. Nothing else writes either (docs/ledger.md).

In: decisions to charge, hold, settle, refund or credit. Out: writes (values of `kit/dynamodb/writes.py`) that
move a balance together with its row, or refuse; `tasks` and `text` carry them out. This package knows an
account only by its id and its row: `tollgate.accounts` imports this package, never the reverse.

attribution.py  the end user and the tags of a request
entries.py      ledger entries as values; an entry's id is derived from its purpose
trace.py        how a request went, for its record
reader.py       the reads of the ledger
repository.py   the writes of media: charge, refund, credit; `charge_refusals.py`: why a charge was refused
holds.py        the money that a text request sets aside; `hold_writes.py`: hold, record, settle, void, renew
crediting.py    the two writes that put money on an account
hold_entries.py  the entries that decide how a hold ends
expiry.py       resolves holds whose request never ended, for the sweep
wallets.py      several rows of one account; `wallet_repository.py` reads and writes them
budgets.py      budgets of an account; `budget_rows.py`: their rows; `budget_writes.py`: the writes of these
budget_repository.py  changes budgets; `budget_mover.py` moves their money between rows
reservations.py the hold of a quote, from which its text requests take theirs
callers.py      who calls: an account or a run token, and whose things each may see
runs.py         run tokens: keys that have a budget each
families.py     money between accounts and sub-accounts; `family_repository.py` moves it
caps.py         spending caps of keys; `rate.py`: requests per minute; the charging writes count both
request_counts.py  requests of any kind in a minute; `hourly_counts.py`: things that cost nothing, in an hour
statement.py    the ledger as its customer reads it; `query.py` reads the question
errors.py       the errors of a charge that does not fit
audit.py        balance + open holds = sum of entries, pure; `service.py` proves it daily
suspension.py   suspend an account, and resume it
checkpoints.py  the state between two proofs, so that a proof reads only new entries
"""
