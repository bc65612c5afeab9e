"""Providers that speak OpenAI's chat completions: one adapter, and the facts of each vendor."""
