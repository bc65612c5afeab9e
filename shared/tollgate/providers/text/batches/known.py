"""The batch APIs of vendors with OpenAI's protocol (`Vendor.has_batches`)."""

from collections.abc import Mapping

from tollgate.providers.text.batches.files import FileBatches
from tollgate.providers.text.batches.google import GoogleBatches
from tollgate.providers.text.batches.mistral import MistralBatches
from tollgate.providers.text.batches.openai import OpenAiBatches
from tollgate.providers.text.batches.xai import XaiBatches

KNOWN: Mapping[str, type[FileBatches]] = {
    "openai": OpenAiBatches,
    "google": GoogleBatches,
    "mistral": MistralBatches,
    "xai": XaiBatches,
}
