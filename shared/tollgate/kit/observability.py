"""Logs and metrics, by Powertools. Ids, counts and prices are logged; prompts, keys and bodies never."""

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

__all__ = ["MetricUnit", "logger", "metrics"]

logger = Logger()
metrics = Metrics()
