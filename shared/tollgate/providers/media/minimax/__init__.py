"""MiniMax's videos, in both versions of its API: H3 has the second, Hailuo the first
(docs/providers/minimax.md).

No model of the shipped catalog is a Hailuo. One can be pushed while the service runs.
"""

from tollgate.providers.runtime.declaration import Provider

PROVIDER = Provider(
    name="minimax",
    title="MiniMax",
    docs="https://platform.minimax.io/docs",
    env="MINIMAX_API_KEY",
    simulator="/v1",
    base_url="https://api.minimax.io",
    text_paths=("/v1",),
)
