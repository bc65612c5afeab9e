"""The mappings that the media adapters know.

Apart from the adapters, so that a catalog can ask for their names without loading an HTTP client.
"""

from collections.abc import Collection, Mapping

from tollgate.providers.fal.mappings import MAPPINGS as FAL
from tollgate.providers.fields import Mapper
from tollgate.providers.kie.mappings import MAPPINGS as KIE
from tollgate.providers.poyo.mappings import MAPPINGS as POYO

MAPPINGS: Mapping[str, Mapping[str, Mapper]] = {"fal": FAL, "poyo": POYO, "kie": KIE}
"""By provider and by the name that the catalog's routes have."""


def mappings() -> Mapping[str, Collection[str]]:
    """Give, by provider, the names of the mappings that its adapter knows (for `Catalog.with_live`)."""
    return {provider: known.keys() for provider, known in MAPPINGS.items()}
