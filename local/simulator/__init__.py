"""The provider simulator: serves the providers' wire formats over HTTP. Never deployed.

Source: docs/architecture.md#providers.

Each provider has a separate prefix, so its base URL is `http://127.0.0.1:<port>/<provider>`. Directions in a
prompt control its job (`directions.py`).
"""
