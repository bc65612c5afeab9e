"""What operators do to a running service: the `tollgate` command and the desk at `/admin` both ask here.

In: an operator's wish, in values. Out: what is there, or `OperatorError` with one line that says why not.

accounts.py       see, find by e-mail, credit, debit, suspend
prices.py         what a model costs here and at its routes; change a price
routes.py         which provider's work an entry paid for
tasks.py          what became of one, its end, its refund
providers.py      how they do; switch one off and on
dead_letters.py   how many there are; send them again; `changes.py`: those about batches of a stream
desk.py           who sits at the desks of accounts and tasks
errors.py         what stops an action, in one line
"""
