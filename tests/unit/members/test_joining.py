"""How many accounts a person may join."""

from typing import cast

import pytest

from tollgate.accounts.repository import AccountRepository
from tollgate.kit.dynamodb.database import Database
from tollgate.members.repository import Identity, IdentityRepository
from tollgate.members.team import TeamError

# Joining reads nothing: it returns the write for a transaction.
PEOPLE = IdentityRepository(cast("Database", None), "Identities", cast("AccountRepository", None))


def member_of(number: int) -> Identity:
    return Identity("ada", tuple(f"usr_{n}" for n in range(number)))


class TestJoined:
    def test_the_twentieth_account_is_the_last(self) -> None:
        assert PEOPLE.joined(member_of(19), "usr_new").key == {"identity_id": "ada"}
        with pytest.raises(TeamError, match="a member of 20 accounts"):
            PEOPLE.joined(member_of(20), "usr_new")
