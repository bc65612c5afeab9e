"""The `tollgate` command, for operators: see, credit, repair.

It ships with the package and runs on operators' machines only. In: arguments, and which service is meant.
Out: a table for people, or JSON.

app.py            the command itself, and how its errors look
place.py          which service is meant: a stack, or the one on this machine
service.py        the parts of that service, in this process
accounts.py       see, open, credit
tasks.py          list, cancel and refund tasks
providers.py      how they do; switch one off and on
catalog.py        lint, diff, push, pull, reset; `comparison.py`: the differences
secrets.py        providers' keys
visits.py         Tollgate's own customer visits; `stack_update.py`: one parameter of a stack
redrive.py        dead letters, sent again
check_ledger.py   the books agree
doctor.py         checks of a stack; `doctor_account.py`: checks of its AWS account; `concurrency.py`: places
examining.py      the findings of a check
rollback.py       the version before a bad deployment; `versions.py`: which there are
restore.py        tables as they were; `swap.py` puts rows in place
options.py        shared options; `terminal.py`, `errors.py`: what is printed
"""
