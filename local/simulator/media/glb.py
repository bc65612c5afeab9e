"""GLB files: a cube in a colour (Khronos Group, glTF 2.0, 4.4)."""

import json
import struct
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from local.simulator.media.palette import palette

_CORNERS = list(product((-0.5, 0.5), repeat=3))
# Two triangles for each side, by the numbers of their corners.
_TRIANGLES = (
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
)  # fmt: skip
_FLOAT, _UNSIGNED_SHORT = 5126, 5123


@dataclass(frozen=True, slots=True)
class Glb:
    """A cube with `caption` as its name."""

    caption: str
    label: str
    seed: int
    kind: ClassVar[str] = "3d"
    suffix: ClassVar[str] = "glb"
    content_type: ClassVar[str] = "model/gltf-binary"

    def render(self) -> bytes:
        """Return the GLB's bytes: a header, the scene as JSON, and its numbers."""
        corners = b"".join(struct.pack("<3f", *corner) for corner in _CORNERS)
        numbers = b"".join(struct.pack("<3H", *triangle) for triangle in _TRIANGLES)
        scene = json.dumps(self._scene(len(corners), len(numbers))).encode()
        scene += b" " * (-len(scene) % 4)
        data = corners + numbers
        size = 12 + 8 + len(scene) + 8 + len(data)
        return b"".join(
            (
                struct.pack("<4sII", b"glTF", 2, size),
                struct.pack("<I4s", len(scene), b"JSON"),
                scene,
                struct.pack("<I4s", len(data), b"BIN\0"),
                data,
            )
        )

    def _scene(self, corners: int, numbers: int) -> dict[str, object]:
        _, bright, _ = palette(self.seed)
        colour = [*(part / 255 for part in bright), 1.0]
        return {
            "asset": {"version": "2.0", "generator": self.label},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "name": self.caption}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": colour}}],
            "accessors": [
                {
                    "bufferView": 0,
                    "componentType": _FLOAT,
                    "count": len(_CORNERS),
                    "type": "VEC3",
                    "min": [-0.5] * 3,
                    "max": [0.5] * 3,
                },
                {
                    "bufferView": 1,
                    "componentType": _UNSIGNED_SHORT,
                    "count": 3 * len(_TRIANGLES),
                    "type": "SCALAR",
                },
            ],
            "bufferViews": [
                {"buffer": 0, "byteOffset": 0, "byteLength": corners},
                {"buffer": 0, "byteOffset": corners, "byteLength": numbers},
            ],
            "buffers": [{"byteLength": corners + numbers}],
        }
