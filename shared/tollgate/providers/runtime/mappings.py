"""The mappings that the media adapters know.

Apart from the adapters, so that a catalog can ask for their names without loading an HTTP client.
"""

from collections.abc import Collection, Mapping

from tollgate.providers.mapping.fields import Mapper
from tollgate.providers.media.apimart.mappings import MAPPINGS as APIMART
from tollgate.providers.media.ark.mappings import MAPPINGS as ARK
from tollgate.providers.media.bfl.mappings import MAPPINGS as BFL
from tollgate.providers.media.dashscope.mappings import MAPPINGS as DASHSCOPE
from tollgate.providers.media.fal.mappings import MAPPINGS as FAL
from tollgate.providers.media.google.mappings import MAPPINGS as GOOGLE
from tollgate.providers.media.kie.mappings import MAPPINGS as KIE
from tollgate.providers.media.kling.mappings import MAPPINGS as KLING
from tollgate.providers.media.minimax.mappings import MAPPINGS as MINIMAX
from tollgate.providers.media.mjproxy.mappings import MAPPINGS as MJPROXY
from tollgate.providers.media.muapi.mappings import MAPPINGS as MUAPI
from tollgate.providers.media.openai.mappings import MAPPINGS as OPENAI
from tollgate.providers.media.piapi.mappings import MAPPINGS as PIAPI
from tollgate.providers.media.pixverse.mappings import MAPPINGS as PIXVERSE
from tollgate.providers.media.poyo.mappings import MAPPINGS as POYO
from tollgate.providers.media.replicate.mappings import MAPPINGS as REPLICATE
from tollgate.providers.media.test import NAME as TEST_NAME
from tollgate.providers.media.test.mappings import MAPPINGS as TEST
from tollgate.providers.media.xai.mappings import MAPPINGS as XAI

MAPPINGS: Mapping[str, Mapping[str, Mapper]] = {
    "fal": FAL,
    "poyo": POYO,
    "kie": KIE,
    "apimart": APIMART,
    "piapi": PIAPI,
    "ark": ARK,
    "dashscope": DASHSCOPE,
    "minimax": MINIMAX,
    "pixverse": PIXVERSE,
    "openai": OPENAI,
    "google": GOOGLE,
    "xai": XAI,
    "replicate": REPLICATE,
    "bfl": BFL,
    "muapi": MUAPI,
    "kling": KLING,
    "mjproxy": MJPROXY,
    TEST_NAME: TEST,
}
"""By provider and by the name that the catalog's routes have."""


def mappings() -> Mapping[str, Collection[str]]:
    """Return, by provider, the names of the mappings that its adapter knows (for `Catalog.with_live`)."""
    return {provider: known.keys() for provider, known in MAPPINGS.items()}
