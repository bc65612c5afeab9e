"""Joins the parts of `functions/record_usage`."""

from tollgate.bootstrap import clock, part
from tollgate.kit import aws
from tollgate.kit.dynamodb import Database
from tollgate.kit.settings import RecordUsageSettings
from tollgate.usage.recorder import UsageRecorder
from tollgate.usage.repository import RollUp


@part
def usage_recorder() -> UsageRecorder:
    """Join the parts of `functions/record_usage`."""
    settings = RecordUsageSettings.from_env()
    db = Database(aws.dynamodb())
    return UsageRecorder(RollUp(db, settings.usage_table, settings.counted_entries_table), clock())
