"""How an OpenAI-compatible upstream deviates from OpenAI's protocol, as data.

Source: docs/providers/openai_compatible.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tollgate.text.usage import ReasoningCount


@dataclass(frozen=True, slots=True)
class ChatDialect:
    """One vendor's deviations.

    `limit_field` is its name for the limit of output tokens, `finish_names` maps its own finish reasons to
    OpenAI's, `faulty_finishes` are those that mean a failure of its own. `code_statuses` gives the HTTP
    status that an error code of its stands for, where its own status misleads. `echoes_reasoning`: past
    reasoning is sent back in `reasoning_content`.
    """

    limit_field: str = "max_completion_tokens"
    reasoning_count: ReasoningCount = ReasoningCount.INSIDE
    finish_names: Mapping[str, str] = field(default_factory=dict)
    faulty_finishes: tuple[str, ...] = ()
    code_statuses: Mapping[str, int] = field(default_factory=dict)
    echoes_reasoning: bool = False
