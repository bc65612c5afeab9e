"""Kling's own API, in two generations on one host (docs/providers/kling.md).

The catalog has no route to it: its prices were not read. One can be pushed while the service runs.
"""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="kling",
    about=About("Kling", "https://app.klingai.com/global/dev/document-api"),
    base_url="https://api-singapore.klingai.com",
    # Each call has a token of its own (client.py).
    auth=Auth(""),
)
