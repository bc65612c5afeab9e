"""The vendors, and how each deviates from OpenAI.

Source: docs/providers/openai_compatible.md and docs/providers/minimax.md for MiniMax's codes.

`passes` are the fields of chat completions that the vendor documents and bills by the token. It is INFERRED
if the documentation does not say that a field is free. `lacks` are fields of OpenAI that its documentation
does not have, or says to be ignored. OpenAI refuses unknown fields ("Unknown parameter"),
so it has none. `reads_files`: litellm 1.110.2 (PyPI, `supports_pdf_input`) has models of OpenAI, Azure and
Google that read PDF files, and none of the other vendors here. INFERRED for Google's endpoint with this
protocol.
"""

from collections.abc import Mapping

from tollgate.providers.runtime.declaration import About
from tollgate.providers.text.openai_compatible.vendor import SpeechDialect, Vendor
from tollgate.routing.facts import DataPolicy, Fact, Kept
from tollgate.text.usage import ReasoningCount
from tollgate.text.wire.dialect import ChatDialect, ResponsesDialect, passing

CHAT_PATH = "/chat/completions"
RESPONSES_PATH = "/responses"
COUNT_PATH = "/responses/input_tokens"
# The fields of a count, besides the input (`openai.types.responses.input_token_count_params`).
COUNTED = frozenset(
    {
        *("instructions", "parallel_tool_calls", "personality", "reasoning", "text", "tool_choice", "tools"),
    }
)
EMBEDDINGS_PATH, MODERATIONS_PATH, SPEECH_PATH = "/embeddings", "/moderations", "/audio/speech"
TRANSCRIPTIONS_PATH, TRANSLATIONS_PATH = "/audio/transcriptions", "/audio/translations"

_GLM_CODES = {
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), 401),
    **dict.fromkeys(("1113", "1304", "1308"), 402),
    **dict.fromkeys(("1261", "1301"), 400),
    **dict.fromkeys(("1302", "1303"), 429),
    "1305": 503,
}
_MINIMAX_CODES = {
    **dict.fromkeys(("1000", "1013"), 500),
    **dict.fromkeys(("1002", "1039"), 429),
    **dict.fromkeys(("1004", "2049"), 401),
    **dict.fromkeys(("1026", "1027", "2013"), 400),
    "1001": 504,
    "1008": 402,
    "insufficient_balance_error": 402,
}

_XAI_RESPONSES = frozenset(
    {
        *("instructions", "reasoning", "text", "tools", "tool_choice", "parallel_tool_calls"),
        *("temperature", "top_p", "user"),
    }
)
_NO_END_USER = ("user", "safety_identifier", "verbosity", "modalities", "functions", "function_call")
# `mistralai` 3.7.0 (PyPI): `ChatCompletionRequest`, `AssistantMessage`, `ToolMessage`. Others are refused.
_MISTRAL_MESSAGE = frozenset({"role", "content", "tool_calls", "tool_call_id", "prefix"})
# `@openrouter/sdk` 1.3.19 (npm): `ReasoningFormat`. A piece may have none.
_OPENROUTER_DETAILS: frozenset[str | None] = frozenset(
    {
        None,
        *("unknown", "openai-responses-v1", "azure-openai-responses-v1", "bedrock-openai-responses-v1"),
        *("bedrock-xai-responses-v1", "xai-responses-v1", "meta-responses-v1", "anthropic-claude-v1"),
        "google-gemini-v1",
    }
)
_LOGITS = ("logprobs", "top_logprobs", "logit_bias", "presence_penalty", "frequency_penalty")

# The day on which the sources of the facts about data were read.
_READ = "2026-11-26"
_OPENAI_DATA = "https://developers.openai.com/api/docs/guides/your-data"
_XAI_DATA = "https://docs.x.ai/docs/faq/security"
_DEEPINFRA_DATA = "https://docs.deepinfra.com/account/data-privacy"
_TOGETHER_DATA = "https://docs.together.ai/docs/zero-data-retention"
_DAYS_30, _DAYS_55 = 30 * 24, 55 * 24
_VENDORS = (
    Vendor(
        name="openai",
        about=About("OpenAI (GPT)", "https://platform.openai.com/docs"),
        base_url="https://api.openai.com/v1",
        # The second code comes with HTTP 200, at the end of a response.
        dialect=ChatDialect(
            reads_files=True, code_statuses={"insufficient_quota": 402, "rate_limit_exceeded": 429}
        ),
        tools_at_responses=True,
        responses=ResponsesDialect(counts=True),
        data=DataPolicy(
            kept=Fact(Kept(_DAYS_30), _OPENAI_DATA, _READ), trains=Fact(False, _OPENAI_DATA, _READ)
        ),
        packs_vectors=True,
        ends_work=True,
        has_batches=True,
    ),
    Vendor(
        name="deepseek",
        about=About("DeepSeek", "https://api-docs.deepseek.com"),
        base_url="https://api.deepseek.com",
        dialect=ChatDialect(
            limit_field="max_tokens",
            faulty_finishes=("insufficient_system_resource",),
            echoes_reasoning=True,
            wants_reasoning=True,
            takes_schemas=False,
            passes=passing("thinking", lacks=("n", "logit_bias")),
        ),
        ends_work=True,
        shows_thinking=True,
    ),
    Vendor(
        name="google",
        about=About("Google (Gemini API)", "https://ai.google.dev/gemini-api/docs/openai"),
        names=("google-ai-studio",),
        data=DataPolicy(
            kept=Fact(Kept(_DAYS_55), "https://ai.google.dev/gemini-api/docs/usage-policies", _READ),
            trains=Fact(False, "https://ai.google.dev/gemini-api/docs/zdr", _READ),
        ),
        env="GEMINI_API_KEY",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        # Above it is Google's own protocol (`providers/text/google/`).
        compatible_path="/openai",
        dialect=ChatDialect(
            limit_field="max_tokens",
            reasoning_count=ReasoningCount.IN_TOTAL,
            signs_calls=True,
            reads_files=True,
            passes=passing(lacks=("logit_bias",)),
        ),
        has_batches=True,
    ),
    Vendor(
        name="zai",
        about=About("Z.ai (GLM)", "https://docs.z.ai"),
        base_url="https://api.z.ai/api/paas/v4",
        dialect=ChatDialect(
            limit_field="max_tokens",
            finish_names={"sensitive": "content_filter", "model_context_window_exceeded": "length"},
            faulty_finishes=("network_error",),
            code_statuses=_GLM_CODES,
            echoes_reasoning=True,
            passes=passing("thinking", "do_sample", "request_id", "user_id", lacks=("n", *_LOGITS)),
        ),
    ),
    Vendor(
        name="xai",
        about=About("xAI (Grok)", "https://docs.x.ai"),
        data=DataPolicy(kept=Fact(Kept(_DAYS_30), _XAI_DATA, _READ), trains=Fact(False, _XAI_DATA, _READ)),
        base_url="https://api.x.ai/v1",
        dialect=ChatDialect(
            limit_field="max_tokens",
            reasoning_count=ReasoningCount.BESIDE,
            passes=passing(lacks=("logit_bias",)),
        ),
        # https://reference.langchain.com/javascript/langchain-xai/XAIResponsesCreateParams
        responses=ResponsesDialect(
            passes=_XAI_RESPONSES, lacks=frozenset({"stream_options"}), tools=frozenset({"function"})
        ),
        ends_work=True,
        has_batches=True,
    ),
    Vendor(
        name="moonshot",
        about=About("Moonshot (Kimi)", "https://platform.moonshot.ai/docs"),
        names=("moonshotai",),
        base_url="https://api.moonshot.ai/v1",
        dialect=ChatDialect(
            limit_field="max_tokens",
            code_statuses={
                "exceeded_current_quota_error": 402,
                "rate_limit_reached_error": 429,
                "engine_overloaded_error": 503,
                "content_filter": 400,
            },
            echoes_reasoning=True,
            passes=passing("thinking", "prompt_cache_key", lacks=("logprobs", "top_logprobs", "logit_bias")),
        ),
    ),
    Vendor(
        name="minimax",
        about=About("MiniMax", "https://platform.minimax.io/docs"),
        base_url="https://api.minimax.io/v1",
        dialect=ChatDialect(
            limit_field="max_tokens",
            code_statuses=_MINIMAX_CODES,
            details_formats=frozenset({"MiniMax-response-v1"}),
            passes=passing("reasoning_split", "thinking", lacks=("n", *_LOGITS)),
        ),
    ),
    Vendor(
        name="mistral",
        about=About("Mistral AI", "https://docs.mistral.ai/api"),
        base_url="https://api.mistral.ai/v1",
        # `mistralai` 3.7.0 (PyPI): `SpeechRequest`, `SpeechStreamAudioDelta`.
        speech=SpeechDialect(
            "voice_id", frozenset({"speed", "instructions"}), {"stream": True}, only_events=True
        ),
        dialect=ChatDialect(
            limit_field="max_tokens",
            finish_names={"model_length": "length"},
            faulty_finishes=("error",),
            thinks_in_parts=True,
            takes_stream_options=False,
            message_fields=_MISTRAL_MESSAGE,
            short_call_ids=True,
            passes=passing(
                *("top_k", "repetition_penalty", "prediction", "prompt_cache_key"),
                lacks=("max_completion_tokens", "stream_options", "seed", "logit_bias", *_NO_END_USER),
            ),
        ),
        has_batches=True,
    ),
    Vendor(
        name="cohere",
        about=About("Cohere (Command)", "https://docs.cohere.com/docs/compatibility-api"),
        base_url="https://api.cohere.ai/compatibility/v1",
        simulator="/compatibility/v1",
        # https://docs.cohere.com/reference/rerank
        compatible_path="/compatibility/v1",
        rerank_path="/v2/rerank",
        cuts_documents=True,
        dialect=ChatDialect(
            limit_field="max_tokens",
            passes=passing(
                lacks=(
                    *("n", "logprobs", "top_logprobs", "logit_bias", "parallel_tool_calls", "metadata"),
                    *_NO_END_USER,
                )
            ),
        ),
    ),
    Vendor(
        name="xiaomi",
        about=About("Xiaomi (MiMo)", "https://mimo.mi.com/docs/en-US/api/chat/openai-api"),
        base_url="https://api.xiaomimimo.com/v1",
        dialect=ChatDialect(
            echoes_reasoning=True,
            wants_reasoning=True,
            takes_schemas=False,
            switches_thinking=True,
            passes=passing(
                "thinking",
                lacks=("n", "seed", "logprobs", "top_logprobs", "logit_bias", "metadata", *_NO_END_USER),
            ),
        ),
        shows_thinking=True,
    ),
    Vendor(
        name="meta",
        about=About("Meta (Muse)", "https://dev.meta.ai/docs"),
        base_url="https://api.meta.ai/v1",
        dialect=ChatDialect(passes=passing(lacks=("n", "logprobs", "top_logprobs", "logit_bias", "seed"))),
    ),
    Vendor(
        name="tencent",
        about=About("Tencent (TokenHub)", "https://www.tencentcloud.com/document/product/1300/78942"),
        base_url="https://tokenhub-intl.tencentcloudmaas.com/v1",
        dialect=ChatDialect(
            limit_field="max_tokens",
            echoes_reasoning=True,
            switches_thinking=True,
            passes=passing(
                "thinking",
                lacks=("n", "seed", "logprobs", "top_logprobs", "logit_bias", "metadata", *_NO_END_USER),
            ),
        ),
        shows_thinking=True,
    ),
    # Serves open models of others; the address is from its documentation, not from the reference.
    Vendor(
        name="together",
        about=About("Together (open models)", "https://docs.together.ai"),
        # It stores prompts unless the organization switches that off; training is by consent only.
        data=DataPolicy(
            kept=Fact(Kept(None), _TOGETHER_DATA, _READ), trains=Fact(False, _TOGETHER_DATA, _READ)
        ),
        base_url="https://api.together.xyz/v1",
        dialect=ChatDialect(
            limit_field="max_tokens",
            passes=passing("top_k", "min_p", "repetition_penalty", "chat_template_kwargs", "reasoning"),
        ),
        ends_work=True,
        shows_thinking=True,
    ),
    Vendor(
        name="fireworks",
        about=About("Fireworks (open models)", "https://docs.fireworks.ai"),
        data=DataPolicy(
            kept=Fact(Kept(0), "https://docs.fireworks.ai/guides/security_compliance/data_handling", _READ)
        ),
        base_url="https://api.fireworks.ai/inference/v1",
        dialect=ChatDialect(limit_field="max_tokens", passes=passing("top_k", "min_p", "repetition_penalty")),
        ends_work=True,
        shows_thinking=True,
    ),
    Vendor(
        name="deepinfra",
        about=About("DeepInfra (open models)", "https://deepinfra.com/docs"),
        data=DataPolicy(
            kept=Fact(Kept(0), _DEEPINFRA_DATA, _READ), trains=Fact(False, _DEEPINFRA_DATA, _READ)
        ),
        base_url="https://api.deepinfra.com/v1/openai",
        dialect=ChatDialect(limit_field="max_tokens", passes=passing("top_k", "min_p", "repetition_penalty")),
        ends_work=True,
        shows_thinking=True,
    ),
    # Deployments are named like the model, in the operator's resource. Its v1 API has the key as a bearer
    # token, and OpenAI's own fields.
    Vendor(
        name="azure",
        about=About(
            "Azure OpenAI (GPT)", "https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle"
        ),
        env="AZURE_OPENAI_API_KEY",
        address_env="AZURE_OPENAI_BASE_URL",
        dialect=ChatDialect(
            reads_files=True, code_statuses={"insufficient_quota": 402, "content_filter": 400}
        ),
        tools_at_responses=True,
        responses=ResponsesDialect(),
        ends_work=True,
    ),
    # One key for the models of all vendors. Errors after the start come with HTTP 200: with the status as the
    # code, or as a finish reason.
    Vendor(
        name="openrouter",
        about=About("OpenRouter (all)", "https://openrouter.ai/docs/api-reference/overview"),
        # It chooses among hosts, without those that do not fulfil a request's `zdr` and `data_collection`.
        data=DataPolicy(passes_wishes=Fact(True, "https://openrouter.ai/docs/guides/features/zdr", _READ)),
        base_url="https://openrouter.ai/api/v1",
        # https://openrouter.ai/docs/api/api-reference/rerank/create-rerank
        rerank_path="/rerank",
        dialect=ChatDialect(
            limit_field="max_tokens",
            reads_files=True,
            faulty_finishes=("error",),
            details_formats=_OPENROUTER_DETAILS,
            passes=passing("top_k", "min_p", "top_a", "repetition_penalty", "reasoning", lacks=("n",)),
        ),
        caps_price=True,
        # https://openrouter.ai/docs/guides/overview/multimodal/pdfs: other engines are paid by the page.
        files_by={"plugins": [{"id": "file-parser", "pdf": {"engine": "native"}}]},
    ),
    Vendor(
        name="dashscope",
        about=About(
            "DashScope, Alibaba Model Studio (Qwen)", "https://www.alibabacloud.com/help/en/model-studio"
        ),
        names=("alibaba",),
        # The address is Singapore's. It stores inputs and outputs there, for a time that it does not state.
        data=DataPolicy(
            region=Fact("SG", "https://www.alibabacloud.com/help/en/model-studio/regions", _READ),
            kept=Fact(Kept(None), "https://www.alibabacloud.com/help/en/model-studio/regions", _READ),
        ),
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        dialect=ChatDialect(
            limit_field="max_tokens",
            passes=passing(
                *("top_k", "repetition_penalty", "enable_thinking", "thinking_budget", "preserve_thinking"),
                lacks=("logit_bias",),
            ),
        ),
    ),
)
# By provider name in the catalog. For another region of a vendor, its credentials have another base URL.
VENDORS: Mapping[str, Vendor] = {vendor.name: vendor for vendor in _VENDORS}
