"""A user pool in moto, for what deletes people from it."""

from dataclasses import dataclass
from typing import Any

from tollgate.composition import dashboard as dashboard_parts
from tollgate.kit.aws import sdk
from tollgate.members.identities import COGNITO, OPERATORS, Person


@dataclass(frozen=True)
class People:
    """The pool, as its operators see it."""

    client: Any
    pool_id: str

    @classmethod
    def made(cls) -> "People":
        """Return a new pool with the group of operators."""
        client = sdk.cognito()
        pool = client.create_user_pool(PoolName="tollgate", UsernameAttributes=["email"])["UserPool"]
        client.create_group(UserPoolId=pool["Id"], GroupName=OPERATORS)
        return cls(client, pool["Id"])

    def add(self, email: str, *, operator: bool = False) -> Person:
        """Return a new person of the pool."""
        attributes = [{"Name": "email", "Value": email}]
        user = self.client.admin_create_user(
            UserPoolId=self.pool_id, Username=email, UserAttributes=attributes
        )["User"]
        if operator:
            self.client.admin_add_user_to_group(UserPoolId=self.pool_id, Username=email, GroupName=OPERATORS)
        (subject,) = (each["Value"] for each in user["Attributes"] if each["Name"] == "sub")
        return Person(f"{COGNITO}{subject}", email, email)

    def signed_in(self, person: Person) -> str:
        """Return the account of a person who signs in."""
        return dashboard_parts.dashboard().identities.account_of(person)

    def addresses(self) -> list[str]:
        """Return the address of everybody in the pool."""
        users = self.client.list_users(UserPoolId=self.pool_id)["Users"]
        return sorted(
            each["Value"] for user in users for each in user["Attributes"] if each["Name"] == "email"
        )
