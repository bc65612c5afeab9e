"""Invitations that a person sees without their link, through the handler of `functions/dashboard`."""

import json
import re

from tests.functional.dashboard.test_dashboard_members import account_of, invite
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tollgate.members.team import INVITATION_MS


class TestWaitingInvitations:
    def test_who_signs_in_without_the_link_sees_it_and_joins(self, ada: Browser) -> None:
        invite(ada)
        bob = Browser()
        bob.sign_in("bob@example.com")
        shown = bob.get("").text
        assert "ada@example.com invites you to its account as <b>Developer</b>" in shown
        (offered,) = re.findall(r"hx-vals='(\{[^']*inv_[^']*\})'", shown)
        eve = Browser()
        eve.sign_in("eve@example.com")
        assert "invites you" not in eve.get("").text
        assert eve.post("/join/own", json.loads(offered)).status == 409
        assert bob.post("/join/own", json.loads(offered)).headers["hx-redirect"].endswith("/dashboard")
        overview = bob.get("").text
        assert account_of(bob) == account_of(ada)
        assert "invites you" not in overview
        assert bob.post("/join/own", json.loads(offered)).status == 409

    def test_it_is_gone_when_it_is_revoked_or_has_expired(self, ada: Browser, clock: ManualClock) -> None:
        bob = Browser()
        bob.sign_in("bob@example.com")
        invite(ada)
        assert "invites you" in bob.get("").text
        (open_now,) = re.findall(r"/members/invitations/(inv_\w+)/revoke", ada.get("/members").text)
        assert ada.post(f"/members/invitations/{open_now}/revoke").status == 200
        assert "invites you" not in bob.get("").text
        invite(ada)
        clock.advance_ms(INVITATION_MS)
        bob.sign_in("bob@example.com")
        assert "invites you" not in bob.get("").text
