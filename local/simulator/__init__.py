"""The provider simulator: speaks the providers' own wire formats over HTTP (design §8). Never deployed.

Each provider lives under its own prefix, so its base URL is `http://127.0.0.1:<port>/<provider>`. What a
job shall go through is written into its prompt, see `directions.py`.
"""
