"""Batches of records, by Powertools: each record succeeds or fails by itself."""

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from tollgate.kit.observability import logger

__all__ = ["EventType", "batch_processor", "process_partial_response"]


def batch_processor(kind: EventType) -> BatchProcessor:
    """Return a processor that logs what raises, and reports it record by record, also when all fail."""
    # Powertools' own Logger is what it wants, but for the annotation.
    return BatchProcessor(kind, raise_on_entire_batch_failure=False, logger=logger)  # type: ignore[arg-type]
