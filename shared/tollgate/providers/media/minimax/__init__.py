"""MiniMax's videos, in both versions of its API: H3 has the second, Hailuo the first
(docs/providers/minimax.md).

The shipped catalog has no Hailuo model. A route can be added while the service runs.
"""

from tollgate.providers.runtime.declaration import About, Provider

PROVIDER = Provider(
    name="minimax",
    about=About("MiniMax", "https://platform.minimax.io/docs"),
    simulator="/v1",
    base_url="https://api.minimax.io",
    text_paths=("/v1",),
)
