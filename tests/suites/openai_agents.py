"""OpenAI Agents: a tool round in each protocol, whole and streamed. Prints what came of them as JSON."""

import asyncio
import json
import os
from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

PROTOCOLS = {"responses": OpenAIResponsesModel, "chat": OpenAIChatCompletionsModel}
MODELS = ("gpt-5.4-mini", "claude-haiku-5-5")
PROMPT = "[[tool]]"
MAX_TURNS = 3


@function_tool  # type: ignore[untyped-decorator,unused-ignore]
def weather(city: str) -> str:
    """The temperature in a city."""
    return f"5 degrees in {city}"


async def told() -> dict[str, Any]:
    """Return items, number of words, and whether the stream said the same, by conversation."""
    found = {}
    url, key = os.environ["TOLLGATE_URL"], os.environ["TOLLGATE_API_KEY"]
    async with AsyncOpenAI(base_url=f"{url}/api/v1", api_key=key, max_retries=0) as client:
        for protocol, made in PROTOCOLS.items():
            for model in MODELS:
                agent = Agent(name="a", tools=[weather], model=made(model=model, openai_client=client))
                whole = await Runner.run(agent, PROMPT, max_turns=MAX_TURNS)
                streamed = Runner.run_streamed(agent, PROMPT, max_turns=MAX_TURNS)
                async for _ in streamed.stream_events():
                    pass
                found[f"{protocol} {model}"] = {
                    "items": [type(item).__name__ for item in whole.new_items],
                    "words": len(whole.final_output.split()),
                    "same": streamed.final_output == whole.final_output,
                }
    return found


if __name__ == "__main__":
    set_tracing_disabled(True)
    print(json.dumps(asyncio.run(told())))
