"""Joins the parts of `functions/record_usage`."""

from dataclasses import dataclass

from tollgate.composition.parts import clock, part
from tollgate.kit import aws
from tollgate.kit.dynamodb import Database
from tollgate.kit.settings import Settings
from tollgate.usage.recorder import UsageRecorder
from tollgate.usage.repository import RollUp


@dataclass(frozen=True, kw_only=True)
class RecordUsageSettings(Settings):
    """Settings of `functions/record_usage`."""

    usage_table: str
    counted_entries_table: str


@part
def usage_recorder() -> UsageRecorder:
    """Join the parts of `functions/record_usage`."""
    settings = RecordUsageSettings.from_env()
    db = Database(aws.dynamodb())
    return UsageRecorder(RollUp(db, settings.usage_table, settings.counted_entries_table), clock())
