"""The drawing of the architecture is that of the template, and shows what the template says."""

import re

from local.template import Template
from local.upkeep.architecture import DIAGRAM, Access, render_diagram, wiring


class TestPicture:
    def test_it_is_up_to_date(self, template: Template) -> None:
        assert DIAGRAM.read_text() == render_diagram(wiring(template)), "make architecture"

    def test_every_function_has_a_row_and_a_caller_or_a_trigger(self, template: Template) -> None:
        plan = wiring(template)
        assert set(plan.callers) == set(template.functions())
        triggered = {function for (function, _), access in plan.access.items() if access is Access.TRIGGERED}
        called = {function for function, callers in plan.callers.items() if callers}
        assert called | triggered == set(plan.callers)
        # Its queue, and every hour
        assert called & triggered == {"NotifyMembersFunction"}
        words = set(re.findall(r"<text[^>]*>([^<]*)</text>", DIAGRAM.read_text()))
        assert {"api", "run_task", "check_ledger", "TasksTable", "MediaBucket"} <= words

    def test_what_a_role_allows_is_what_is_shown(self, template: Template) -> None:
        access = wiring(template).access
        assert access["RunTaskFunction", "TaskQueue"] is Access.TRIGGERED
        assert access["DispatchChangesFunction", "TasksTable"] is Access.TRIGGERED
        assert access["ApiFunction", "TasksTable"] is Access.WRITES
        assert access["DeliverWebhookFunction", "TasksTable"] is Access.READS
        assert ("ProbeMediaFunction", "AccountsTable") not in access
        assert wiring(template).callers["ProbeMediaFunction"] == [
            "api",
            "text",
            "dashboard",
            "run_task",
            "run_batch",
        ]
        assert wiring(template).callers["DrawThumbnailFunction"] == ["make_thumbnails"]
