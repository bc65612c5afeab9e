"""Notices: mails to members about events in the audit log, key expiry and new statements.

In: a message `{account_id, event_id}` about an event of the audit log; the time. Out: one mail to each member
who chose it (docs/decisions/0036-notices.md).

mails.py      the text and the topic of each kind of event
service.py    sends the mails of an event, each once
reminders.py  notes expiring keys and ready statements in the audit log
repository.py the mails that were sent, and the progress of the calendar
"""
