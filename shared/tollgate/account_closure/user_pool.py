"""Deletes people without an account from Cognito's user pool."""

from typing import Any

from botocore.exceptions import ClientError

from tollgate.members.identities import COGNITO, OPERATORS

GONE = "UserNotFoundException"


class UserPool:
    """Deletes people from the pool `pool_id`, through the SDK's Cognito client."""

    def __init__(self, client: Any, pool_id: str) -> None:
        self._client = client
        self._pool_id = pool_id

    def delete(self, identity_id: str) -> None:
        """Delete a person and their mail address from the pool. A missing person is no error.

        An operator stays in the pool, because they need it to sign in to the console.
        """
        if not identity_id.startswith(COGNITO):
            return
        name = self._name(identity_id.removeprefix(COGNITO))
        if name is None:
            return
        person = {"UserPoolId": self._pool_id, "Username": name}
        try:
            groups = self._client.admin_list_groups_for_user(**person)["Groups"]
            if not any(each["GroupName"] == OPERATORS for each in groups):
                self._client.admin_delete_user(**person)
        except ClientError as exc:
            if exc.response["Error"]["Code"] != GONE:
                raise

    def _name(self, subject: str) -> str | None:
        """Return the user name of a person, or `None` if the pool has no such person.

        It is the subject only for people of the pool, not for people of a company's provider.
        """
        known = f'sub = "{subject}"'
        found = self._client.list_users(UserPoolId=self._pool_id, Filter=known, Limit=1)["Users"]
        return str(found[0]["Username"]) if found else None
