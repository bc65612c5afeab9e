"""A second factor at sign-in: an authenticator app (TOTP), registered with the user pool.

The pool's hosted pages request the code at each sign-in. Only the registration of an app needs our own page:
https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-settings-mfa-totp.html

Its calls are authorized by an access token with the scope `aws.cognito.signin.user.admin`. A visitor gets
the token by another hosted sign-in, only for this purpose. It is stored for some minutes in the table of
sessions, and never reaches the browser. The reasons are in docs/decisions/0101-company-access.md.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import quote, urlencode

from botocore.exceptions import ClientError

from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.members.identities import COGNITO
from tollgate.members.service import Actor
from tollgate.web.pool import SignInRefusedError
from tollgate.web.sessions import SessionStore

# The name of the entry in the person's app.
ISSUER = "Tollgate"
TOTP = "SOFTWARE_TOKEN_MFA"
CODE_DIGITS = 6
OF_COMPANY = "EXTERNAL_PROVIDER"
_WRONG_CODE = frozenset({"EnableSoftwareTokenMFAException", "CodeMismatchException"})


class FactorState(StrEnum):
    """The state of a person's second factor."""

    ON = "on"
    OFF = "off"
    COMPANY = "company"
    """The person signs in through a company's provider, which has its own factors."""
    NONE = "none"
    """There is no user pool, or the person is not in it."""
    UNKNOWN = "unknown"
    """The user pool cannot be reached now."""


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """Registers and removes authenticator apps. `client` is Cognito's, and is `None` without a user pool."""

    client: Any
    pool_id: str
    sessions: SessionStore
    audit: AuditLog

    def state(self, identity_id: str) -> FactorState:
        """Return the state of a person's second factor, from the user pool.

        Raises botocore's errors if the pool cannot be reached.
        """
        if self.client is None or not identity_id.startswith(COGNITO):
            return FactorState.NONE
        username = identity_id.removeprefix(COGNITO)
        try:
            user = self.client.admin_get_user(UserPoolId=self.pool_id, Username=username)
        except ClientError as exc:
            # A subject is the user name only of people whose password the pool has.
            if exc.response["Error"]["Code"] == "UserNotFoundException":
                return FactorState.COMPANY
            raise
        if user["UserStatus"] == OF_COMPANY:
            return FactorState.COMPANY
        return FactorState.ON if TOTP in user.get("UserMFASettingList", ()) else FactorState.OFF

    def begin(self, session_id: str, access_token: str) -> None:
        """Create a secret for the person's app, and keep it with the token of their new sign-in."""
        secret = self._call("associate_software_token", AccessToken=access_token)["SecretCode"]
        self.sessions.keep_registration(session_id, access_token, secret)

    def secret(self, session_id: str) -> str | None:
        """Return the secret of the registration that has begun in a session; `None` if it is too old."""
        kept = self.sessions.registration(session_id)
        return None if kept is None else kept[1]

    def turn_on(self, session_id: str, account_id: str, who: Actor, code: str) -> bool:
        """Register the app that shows this code; return whether the registration is not too old.

        Raises `InvalidInputError` for a wrong code.
        """
        kept = self.sessions.registration(session_id)
        if kept is None:
            return False
        token = kept[0]
        if len(code) != CODE_DIGITS or digits(code, 0, 10**CODE_DIGITS - 1) is None:
            raise _wrong_code()
        try:
            found = self._call("verify_software_token", AccessToken=token, UserCode=code)
        except ClientError as exc:
            if exc.response["Error"]["Code"] in _WRONG_CODE:
                raise _wrong_code() from exc
            raise
        if found["Status"] != "SUCCESS":
            raise _wrong_code()
        self._prefer(token, is_on=True)
        self.audit.write(account_id, who.name, Action.FACTOR_CHANGED, "", "on")
        self.sessions.end_registration(session_id)
        return True

    def turn_off(self, access_token: str, account_id: str, who: Actor) -> None:
        """Sign the person in without a code from now on."""
        self._prefer(access_token, is_on=False)
        self.audit.write(account_id, who.name, Action.FACTOR_CHANGED, "", "off")

    def _prefer(self, token: str, *, is_on: bool) -> None:
        settings = {"Enabled": is_on, "PreferredMfa": is_on}
        self._call("set_user_mfa_preference", AccessToken=token, SoftwareTokenMfaSettings=settings)

    def _call(self, operation: str, **fields: Any) -> Any:
        try:
            return getattr(self.client, operation)(**fields)
        except ClientError as exc:
            if exc.response["Error"]["Code"] == "NotAuthorizedException":
                raise SignInRefusedError("the token of the sign-in is no longer valid") from exc
            raise


def uri_of(secret: str, name: str) -> str:
    """Return the address that an authenticator app reads from a QR code.

    Source: https://github.com/google/google-authenticator/wiki/Key-Uri-Format
    """
    label = quote(f"{ISSUER}:{name}")
    return f"otpauth://totp/{label}?{urlencode({'secret': secret, 'issuer': ISSUER})}"


def _wrong_code() -> InvalidInputError:
    return InvalidInputError([Problem("/code", "Is not the code that your app shows now.")])
