"""The list behind Ctrl+K: what it leads to."""

import re

from tests.support.dashboard import Browser
from tests.support.samples import PAID_BODY
from tests.support.tasks import create_task
from tollgate.composition import api as api_parts


class TestThePalette:
    def test_it_leads_to_keys_tasks_models_and_docs(self, browser: Browser) -> None:
        account_id = browser.sign_in()
        api_parts.api().keys.create(account_id, {"name": "Shop"}, None)
        made = create_task(account_id, {**PAID_BODY})
        (key,) = api_parts.api().keys.all(account_id)
        project = api_parts.api().projects.create(account_id, {"name": "Apollo"}, by=None)
        shown = browser.get("/palette").text
        assert "/admin/" not in shown
        for href, name in (
            (f"/live/dashboard/keys/{key['id']}", "Shop"),
            (f"/live/dashboard/tasks/{made['taskId']}", PAID_BODY["model"]),
            ("/live/models/kling-3.0", "Kling 3.0"),
            ("/live/docs/webhooks", "Webhooks"),
            ("/live/dashboard/workflows", "Workflows"),
            (f"/live/dashboard/projects/{project['id']}", "Apollo"),
            ("/live/status", "Status"),
        ):
            found = re.search(f'data-href="{re.escape(href)}".*?<span class="cut"[^>]*>(.*?)</span>', shown)
            assert found is not None, href
            assert str(name) in found[1]
