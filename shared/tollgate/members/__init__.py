"""The people of an account: sign-in, a person's accounts, and their roles.

In: a person whom the sign-in proved, or an owner's request. Out: a role, an invitation, or the refusal
(docs/decisions/0030-members.md).

team.py         an account's people and open invitations, and their rights over each other
identities.py   from a person who signs in to an account
preferences.py  a person's own settings
roles.py        the roles of members
topics.py       the topics of mails to members, and which of them cannot be switched off
recipients.py   the addresses for a mail
service.py      invite, accept, change a role, remove, leave
mails.py        the texts of the mails
repository.py   teams and identities in DynamoDB
"""
