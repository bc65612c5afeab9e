"""What members are told by mail of an account: lines of its audit log, and what time brings.

In: a line of the audit log, as a message `{account_id, event_id}`; the time. Out: one mail for each member
who wants it (docs/decisions/0036-notices.md).

letters.py      what each kind of line says, of which topic it is
service.py      from a line to its mails, each once
calendar.py     keys that expire, months that are over: lines of the audit log
repository.py   what was mailed already, how far the calendar is
"""
