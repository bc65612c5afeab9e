"""Claude's thinking as LiteLLM and LangChain read it, from chat completions and responses. Prints JSON."""

import json
import os
from typing import Any

import litellm
from langchain_deepseek import ChatDeepSeek
from langchain_openai import ChatOpenAI

URL, KEY = f"{os.environ['TOLLGATE_URL']}/api/v1", os.environ["TOLLGATE_API_KEY"]
MODEL = "claude-haiku-5-5"
PROMPT = "[[think]] hello"


def by_litellm() -> dict[str, Any]:
    """Return what LiteLLM has of the thinking, whole and streamed."""
    asked: dict[str, Any] = {
        "model": f"openai/{MODEL}",
        "api_base": URL,
        "api_key": KEY,
        "messages": [{"role": "user", "content": PROMPT}],
    }
    message = litellm.completion(**asked).choices[0].message
    deltas = [chunk.choices[0].delta for chunk in litellm.completion(**asked, stream=True) if chunk.choices]
    return {
        "whole": message.reasoning_content,
        "streamed": "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas),
        "signed": all(block.get("signature") for block in message.thinking_blocks),
    }


def by_langchain() -> dict[str, Any]:
    """Return what LangChain's models have of the thinking."""
    deepseek = ChatDeepSeek(model=MODEL, api_base=URL, api_key=KEY)
    pieces = [piece.additional_kwargs for piece in deepseek.stream(PROMPT)]
    responses = ChatOpenAI(model=MODEL, base_url=URL, api_key=KEY, use_responses_api=True)
    blocks = responses.invoke(PROMPT).content_blocks
    return {
        "whole": deepseek.invoke(PROMPT).additional_kwargs["reasoning_content"],
        "streamed": "".join(piece.get("reasoning_content", "") for piece in pieces),
        "responses": "".join(block["reasoning"] for block in blocks if block["type"] == "reasoning"),
    }


if __name__ == "__main__":
    print(json.dumps({"litellm": by_litellm(), "langchain": by_langchain()}))
