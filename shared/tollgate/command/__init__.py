"""The `tollgate` command for operators.

It is installed with the package and runs only on operators' machines. In: arguments, and the service to use.
Out: a table for people, or JSON.

app.py            the command itself, and the format of its errors
target.py         the service to use: a stack, or the service on this machine
service.py        the parts of that service, in this process
accounts.py       accounts, credits, limits
tasks.py          list, cancel and refund tasks
providers.py      the state of providers; switch one off and on
incidents.py      incidents on the status page
examples.py       examples on the pages of models
catalog.py        lint, diff, push, pull, reset; `comparison.py`: the differences
refresh_catalog.py  the same catalog beside public lists
secrets.py        providers' keys
visits.py         visits by Tollgate's own customer; `stack_update.py`: one parameter of a stack
redrive.py        dead letters, sent again
check_ledger.py   the check of the ledger
reconcile.py      our costs beside the providers' reports
verify.py         verifies a customer's statement or receipt
doctor.py         checks of a stack; `doctor_account.py`: checks of its AWS account; `concurrency.py`: places
checks.py         the findings of a check
rollback.py       back to the previous version; `versions.py`: the published versions
restore.py        tables at a point in time; `swap.py` replaces their rows
options.py        shared options; `terminal.py`, `errors.py`: output
"""
