"""The money of a text request: its cost, its hold and its bill.

Pure:

metering.py       the cost of a usage, and how much to hold for a request
cost.py           the cost of a response as its usage tells it
route_plan.py     the routes that may answer a request, and the hold that covers each of them
refusal.py        the error for a refused hold
placed.py         the state of a request's hold, and its bill; `handover.py`: for another process

With I/O:

budgets.py        the budgets that count a request, and their money between rows
placing.py        places the hold; `drawing.py`: takes it from a quote
renewals.py       extends the hold while the request runs
billing.py        record, settle; `endings.py`: ends a hold
wallets.py        moves the money of an account that has several rows
request_counter.py  counts every request, including free requests
"""
