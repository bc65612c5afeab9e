"""Agents: the official client of the Model Context Protocol, over HTTP and with the program."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import httpx2
import pytest
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from local.template import ROOT
from tests.support.claude_command import blocks_of, claude
from tests.support.samples import PAID_IMAGE

pytestmark = [pytest.mark.clients, pytest.mark.ministack, pytest.mark.xdist_group("local-service")]


@pytest.fixture(scope="module")
def service(shared_service: dict[str, Any]) -> dict[str, Any]:
    """Return what `service.json` says of the running service."""
    return shared_service


@asynccontextmanager
async def session(service: dict[str, Any], transport: str) -> AsyncIterator[ClientSession]:
    """Connect as an agent does."""
    if transport == "http":
        headers = {"Authorization": f"Bearer {service['apiKey']}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            streamable_http_client(f"{service['baseUrl']}/mcp", http_client=http) as (read, write),
            ClientSession(read, write) as found,
        ):
            await found.initialize()
            yield found
        return
    environment = {
        **os.environ,
        "TOLLGATE_URL": service["baseUrl"],
        "TOLLGATE_API_KEY": service["apiKey"],
        "PYTHONPATH": str(ROOT / "shared"),
    }
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "tollgate.mcp.stdio"], env=environment
    )
    with TemporaryFile("w+") as said:
        async with stdio_client(program, errlog=said) as (read, write), ClientSession(read, write) as found:
            await found.initialize()
            yield found
        said.seek(0)
        sys.stderr.write(said.read())


def text_of(result: Any) -> str:
    return str(result.content[0].text)


@pytest.fixture(scope="class")
def anyio_backend() -> str:
    """Return the loop in which the tests share their connection."""
    return "asyncio"


@pytest.fixture(scope="class", params=["http", "stdio"])
async def agent(request: pytest.FixtureRequest, service: dict[str, Any]) -> AsyncIterator[ClientSession]:
    """Return a connected agent."""
    async with session(service, request.param) as connected:
        yield connected


@pytest.mark.anyio
class TestAgents:
    async def test_look_up_price_generate_and_see(self, agent: ClientSession) -> None:
        listed = text_of(await agent.call_tool("list_models", {"kind": "image"}))
        assert f"{PAID_IMAGE} (image, from $0.01 per generation)" in listed
        described = json.loads(text_of(await agent.call_tool("describe_model", {"model": PAID_IMAGE})))
        assert {"prompt", "size"} <= {param["name"] for param in described["params"]}
        values = {"prompt": "a lighthouse", "size": "16:9"}
        asked = {"model": PAID_IMAGE, "input": values}
        before = text_of(await agent.call_tool("balance", {}))
        priced = text_of(await agent.call_tool("estimate", asked))
        assert priced.startswith("$0.01 (price_version ")
        version = priced.split()[-1].rstrip(")")
        made = await agent.call_tool("generate", {**asked, "price_version": version})
        assert not made.is_error
        task = json.loads(text_of(made))
        assert made.structured_content == task
        assert all(tool.output_schema for tool in (await agent.list_tools()).tools)
        assert (task["status"], task["cost"]) == ("finished", "$0.01")
        assert made.content[1].type == "image"
        assert made.content[1].mime_type == "image/png"
        after = text_of(await agent.call_tool("balance", {}))
        assert round((float(before[1:]) - float(after[1:])) * 100) == 1
        again = json.loads(text_of(await agent.call_tool("get_task", {"task_id": task["taskId"]})))
        assert again == task
        gone = json.loads(text_of(await agent.call_tool("delete_task_files", {"task_id": task["taskId"]})))
        assert "files" not in gone
        assert gone["filesDeletedAt"]

    async def test_refusals_are_told_so_that_an_agent_can_mend_them(self, agent: ClientSession) -> None:
        values = {"prompt": "x", "size": "17:9"}
        wrong = await agent.call_tool("generate", {"model": "test-image", "input": values})
        assert wrong.is_error
        assert "/input/size" in text_of(wrong)
        assert "16:9" in text_of(wrong)
        dear = {"model": "seedance-1.5-pro", "input": {"prompt": "x"}, "max_cost_usd": 0.01}
        refused = await agent.call_tool("generate", dear)
        assert refused.is_error
        assert "max_cost_exceeded" in text_of(refused)
        other = {"model": PAID_IMAGE, "input": {**values, "size": "1:1"}, "price_version": "old"}
        assert "/priceVersion" in text_of(await agent.call_tool("generate", other))
        unknown = await agent.call_tool("get_task", {"task_id": "task_../../user/me"})
        assert unknown.is_error
        with pytest.raises(MCPError) as raised:
            await agent.call_tool("nothing", {})
        assert raised.value.code == INVALID_PARAMS

    async def test_a_failed_generation_says_that_it_was_refunded(self, agent: ClientSession) -> None:
        values = {"prompt": "nobody can [[fail]]", "size": "1:1"}
        failed = await agent.call_tool("generate", {"model": PAID_IMAGE, "input": values})
        assert failed.is_error
        assert json.loads(text_of(failed))["refunded"] == "$0.01"

    async def test_chat(self, agent: ClientSession) -> None:
        asked = {"model": "test-chat", "prompt": "Say hello"}
        assert text_of(await agent.call_tool("chat", asked)) == "You wrote: Say hello"


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_claude_code_connects_and_calls_a_tool(
    service: dict[str, Any], tmp_path: Path, transport: str
) -> None:
    variables = {"TOLLGATE_URL": service["baseUrl"], "TOLLGATE_API_KEY": service["apiKey"]}
    program: dict[str, Any] = {"command": sys.executable, "args": ["-m", "tollgate.mcp.stdio"]}
    program["env"] = {**variables, "PYTHONPATH": str(ROOT / "shared")}
    headers = {"Authorization": f"Bearer {service['apiKey']}"}
    remote = {"type": "http", "url": f"{service['baseUrl']}/mcp", "headers": headers}
    servers = {"tollgate": remote if transport == "http" else program}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    options = ("--tools", "", "--mcp-config", "mcp.json", "--strict-mcp-config")
    told = claude(
        *(tmp_path, service["baseUrl"], service["apiKey"], "[[tool]]", *options),
        *("--allowedTools", "mcp__tollgate"),
    )
    assert [each["status"] for each in told[0]["mcp_servers"]] == ["connected"]
    # The simulator's model calls the first tool that it is told of.
    (result,) = [block for block in blocks_of(told) if block["type"] == "tool_result"]
    # Claude Code shows its model the structured content, as JSON, if a tool has any.
    assert json.loads(result["content"])["balance"].startswith("$")
    assert told[-1]["subtype"] == "success"
