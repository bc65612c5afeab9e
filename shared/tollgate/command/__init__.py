"""The `tollgate` command, for operators: see, credit, repair.

It ships with the package and runs on operators' machines only. In: arguments, and which service is meant.
Out: a table for people, or JSON.

app.py            the command itself, and how its errors look
place.py          which service is meant: a stack, or the one on this machine
service.py        the parts of that service, in this process
accounts.py       see, open, credit
tasks.py          what became of one, its end
providers.py      how they do; switch one off and on
catalog.py        lint, diff, push, pull, reset; `comparison.py`: what differs
secrets.py        providers' keys
visits.py         a customer of our own comes by; `stack_update.py`: one parameter of a stack
redrive.py        dead letters, sent again
check_ledger.py   the books agree
doctor.py         what a stack lacks; `doctor_account.py`: what its account lacks; `concurrency.py`: places
examining.py      what a check of these finds
rollback.py       the version before a bad deployment; `versions.py`: which there are
restore.py        tables as they were; `swap.py` puts rows in place
options.py        shared options; `terminal.py`, `errors.py`: what is printed
"""
