"""Mails to people: their layout and their sending. The texts are in `mails.py` of the package of their event.

message.py      a mail as a value
addresses.py    mail addresses in the one form that is compared
layout.py       the layout of all mails, as text and as HTML
sender.py       sends a mail through Amazon SES
"""
