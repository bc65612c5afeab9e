"""The provider simulator: speaks the providers' own wire formats over HTTP. Never deployed.

Source: docs/architecture.md#providers.

Each provider lives under its own prefix, so its base URL is `http://127.0.0.1:<port>/<provider>`. What a
job shall go through is written into its prompt, see `directions.py`.
"""
