"""WaveSpeed, a platform for many vendors' models with one API (docs/providers/wavespeed.md)."""

from tollgate.providers.runtime.declaration import About, Provider

PROVIDER = Provider(
    name="wavespeed",
    about=About("WaveSpeed", "https://wavespeed.ai/docs"),
    base_url="https://api.wavespeed.ai/api/v3",
)
