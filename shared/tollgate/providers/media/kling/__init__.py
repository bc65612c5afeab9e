"""Kling's own API, in two generations on one host (docs/providers/kling.md).

The catalog has no route to it, because its prices are unknown. A route can be added while the service runs.
"""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="kling",
    about=About("Kling", "https://app.klingai.com/global/dev/document-api"),
    base_url="https://api-singapore.klingai.com",
    # Each call has its own token (client.py).
    auth=Auth(""),
)
