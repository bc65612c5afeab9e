"""The people of an account: who signs in, which accounts are theirs, and what they may do there.

In: a person whom the sign-in proved, or an owner's wish. Out: a role, an invitation, or why not
(docs/decisions/0030-members.md).

team.py         an account's people and open invitations, and who may do what to whom
identities.py   from a person who signs in to an account
roles.py        what a member may be
topics.py       what members are told by mail, and what they cannot switch off
recipients.py   who is told something by mail
service.py      invite, accept, change a role, remove, leave
mails.py        what the mails say
repository.py   teams and identities in DynamoDB
"""
