"""The tools for agents. Tools that spend money show the amount in dollars."""

import base64
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, NotRequired

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    ImageContent,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from pydantic import Field
from typing_extensions import TypedDict

from .service import Service, ServiceError

# A tool call must end before the gateway's 29 s.
MAX_WAIT_S = 25
MAX_INLINE_IMAGES = 4
MAX_LISTED = 200

INSTRUCTIONS = """Generate images, videos and music, and ask text models, from one prepaid balance.
Generations are charged when they are created, and refunded in full if they fail. Look up a model with
list_models and describe_model, price an input with estimate, then generate. If a generation is not ready
in time, generate returns a task id: call get_task again, and do not generate again. An API key may
have a spending limit. A request above it is refused and not charged."""

_READS = ToolAnnotations(read_only_hint=True, open_world_hint=True)
_DELETES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=True
)
_SPENDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)

Model = Annotated[str, Field(description="A model's id, from list_models.")]
Input = Annotated[
    dict[str, Any], Field(description="The model's input, with the fields from describe_model.")
]
Wait = Annotated[int, Field(ge=0, le=MAX_WAIT_S, description="Seconds to wait for the result.")]
_WISHES = """Routing wishes in OpenRouter's format, such as {"only": ["anthropic"], "zdr": true}.
describe_model lists the companies in routes."""
Wishes = Annotated[dict[str, Any] | None, Field(description=_WISHES)]
TaskId = Annotated[str, Field(description="The id returned by generate.")]


def server(service: Service, version: str) -> MCPServer[Any]:
    """Return the MCP server for one caller."""
    made = Server(name="tollgate", title="Tollgate", instructions=INSTRUCTIONS, version=version)
    tools = Tools(service)
    made.add_tool(tools.list_models, annotations=_READS)
    made.add_tool(tools.describe_model, annotations=_READS)
    made.add_tool(tools.estimate, annotations=_READS)
    made.add_tool(tools.generate, annotations=_SPENDS)
    made.add_tool(tools.get_task, annotations=_READS)
    made.add_tool(tools.cancel_task, annotations=_SPENDS)
    made.add_tool(tools.delete_task_files, annotations=_DELETES)
    made.add_tool(tools.chat, annotations=_SPENDS)
    made.add_tool(tools.balance, annotations=_READS)
    return made


class Server(MCPServer[Any]):
    """The SDK's server, with the protocol's error for an unknown tool instead of a tool's result.

    Source: https://modelcontextprotocol.io/specification/2025-06-18/server/tools#error-handling.
    """

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool by name. Raises `MCPError` for an unknown tool, `ToolError` for unknown arguments."""
        known = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if name not in known:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {name}")
        # The SDK ignores them, and an ignored `private` would publish a file.
        if unknown := sorted(arguments.keys() - known[name].keys()):
            raise ToolError(f"{name} has no argument {unknown[0]}. Its arguments: {', '.join(known[name])}.")
        return await super().call_tool(name, arguments, context)


class ListedModel(TypedDict):
    """A model in a list."""

    id: str
    type: str
    name: str
    price: str


class ModelList(TypedDict):
    """The models that match."""

    models: list[ListedModel]


class EstimatedPrice(TypedDict):
    """The exact charge of a generation, and the version of its price."""

    price: str
    priceVersion: str


class ToldTask(TypedDict):
    """A generation: its status, and its files when it is finished."""

    taskId: str
    status: str
    model: str
    progress: NotRequired[int]
    files: NotRequired[list[dict[str, Any]]]
    filesDeletedAt: NotRequired[str]
    output: NotRequired[dict[str, Any]]
    error: NotRequired[dict[str, Any]]
    cost: NotRequired[str]
    refunded: NotRequired[str]


class ChatAnswer(TypedDict):
    """A text model's answer."""

    text: str


class Balance(TypedDict):
    """The account's balance in dollars."""

    balance: str


TaskResult = Annotated[CallToolResult, ToldTask]


class Tools:
    """The tools. Agents read their docstrings."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def list_models(
        self,
        kind: Annotated[
            Literal["image", "video", "music", "3d", "text"] | None,
            Field(description="Only models of this kind."),
        ] = None,
        capability: Annotated[
            str | None, Field(description="Such as text-to-video, upscale or lip-sync.")
        ] = None,
    ) -> Annotated[CallToolResult, ModelList]:
        """List the models with their prices. Free."""
        try:
            found = await self._service.models("llm" if kind == "text" else None, capability)
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc
        fitting = [one for one in found if kind is None or str(one["type"]).lower() == kind]
        shown = [
            {"id": one["id"], "type": str(one["type"]).lower(), "name": one["name"], "price": price_of(one)}
            for one in fitting[:MAX_LISTED]
        ]
        lines = [f"{one['id']} ({one['type']}, {one['price']}): {one['name']}" for one in shown]
        return _result("\n".join(lines) or "No model matches.", {"models": shown})

    async def describe_model(self, model: Model) -> Annotated[CallToolResult, dict[str, Any]]:
        """Return a model's input fields, with their bounds and defaults, and its prices. Free."""
        try:
            found = await self._service.model(model)
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc
        shown = (
            "id",
            "name",
            "description",
            "type",
            "capabilities",
            "priceUnit",
            "pricing",
            "params",
            "protocols",
            "routes",
        )
        told_of = {name: found[name] for name in shown if found.get(name)}
        return _result(json.dumps(told_of, ensure_ascii=False), told_of)

    async def estimate(
        self,
        model: Model,
        input: Input,  # noqa: A002 - the API's own name
    ) -> Annotated[CallToolResult, EstimatedPrice]:
        """Return the exact charge of generate for this input, and its price_version. Free."""
        try:
            found = await self._service.estimate(model, input)
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc
        price, version = dollars(int(found["price"])), str(found["priceVersion"])
        return _result(f"{price} (price_version {version})", {"price": price, "priceVersion": version})

    async def generate(  # noqa: PLR0917 - agents name them
        self,
        model: Model,
        input: Input,  # noqa: A002 - the API's own name
        max_cost_usd: Annotated[
            float | None, Field(gt=0, allow_inf_nan=False, description="Refuse a higher price.")
        ] = None,
        price_version: Annotated[
            str | None, Field(description="From estimate: refuse if prices have changed since.")
        ] = None,
        provider: Wishes = None,
        wait_seconds: Wait = 20,
    ) -> TaskResult:
        """Generate an image, a video, music or a 3D object, or work on files, such as upscaling.

        COSTS MONEY: the price from estimate is charged at once, and refunded in full if it fails. Returns the
        files' URLs and small images, or the task's id.
        """
        cents = None if max_cost_usd is None else cents_of(max_cost_usd)
        try:
            # The service compares the bound with the price that it charges, so the price cannot change in
            # between.
            options = {"maxCostCents": cents, "priceVersion": price_version, "provider": provider}
            task_id = await self._service.create(model, input, **options)
            return await self._shown(await self._service.task(task_id, wait_seconds))
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def get_task(self, task_id: TaskId, wait_seconds: Wait = 20) -> TaskResult:
        """Return the status of a generation, with its files when it is finished. Free."""
        try:
            return await self._shown(await self._service.task(task_id, wait_seconds))
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def cancel_task(self, task_id: TaskId) -> TaskResult:
        """Cancel a generation. It is refunded if it ends without a result."""
        try:
            return await self._shown(await self._service.cancel(task_id))
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def delete_task_files(self, task_id: TaskId) -> TaskResult:
        """Delete the files of a generation that has ended, permanently. Nothing is refunded."""
        try:
            return await self._shown(await self._service.delete_files(task_id))
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def chat(
        self,
        model: Model,
        prompt: Annotated[str, Field(min_length=1)],
        system: Annotated[str | None, Field(description="The system prompt.")] = None,
        max_tokens: Annotated[int, Field(gt=0, description="The output limit in tokens.")] = 4096,
        provider: Wishes = None,
    ) -> Annotated[CallToolResult, ChatAnswer]:
        """Ask a text model. COSTS MONEY: its tokens, at the prices of list_models."""
        before = [{"role": "system", "content": system}] if system else []
        messages = [*before, {"role": "user", "content": prompt}]
        # Always limited. Otherwise the hold would cover the model's own maximum.
        body: dict[str, Any] = {"model": model, "messages": messages, "max_tokens": max_tokens}
        if provider is not None:
            body["provider"] = provider
        try:
            answer = await self._service.chat(body)
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc
        choices = answer.get("choices") or [{}]
        text = str((choices[0].get("message") or {}).get("content") or "")
        return _result(text, {"text": text})

    async def balance(self) -> Annotated[CallToolResult, Balance]:
        """Return the account's balance. The API key needs the scope `account`. Free."""
        try:
            balance = dollars(await self._service.balance_cents())
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc
        return _result(balance, {"balance": balance})

    async def _shown(self, task: Mapping[str, Any]) -> CallToolResult:
        """Return a task as text, with its small images."""
        shown = told(task)
        content: list[Any] = [TextContent(type="text", text=json.dumps(shown, ensure_ascii=False))]
        images = [one for one in task.get("files") or () if one.get("fileType") == "image"]
        for one in images[:MAX_INLINE_IMAGES]:
            if (found := await self._service.small_file(one["fileUrl"])) is not None:
                data = base64.b64encode(found[0]).decode()
                content.append(ImageContent(type="image", data=data, mime_type=found[1]))
        # Agents use this flag to detect a failure, not the text.
        is_error = task["status"] in ("failed", "expired")
        return CallToolResult(content=content, structured_content=shown, is_error=is_error)


def _result(text: str, structured: dict[str, Any]) -> CallToolResult:
    """Return a result for agents that read text and for agents that read structured content."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def told(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a task for an agent, with money in dollars."""
    names = ("taskId", "status", "model", "progress", "files", "filesDeletedAt", "output", "error")
    found = {name: task[name] for name in names if task.get(name) is not None}
    costs = {"cost": task.get("costCents"), "refunded": task.get("refundedCents")}
    return {**found, **{name: dollars(cents) for name, cents in costs.items() if cents is not None}}


def price_of(model: Mapping[str, Any]) -> str:
    """Return a model's price as text."""
    if model.get("kind") == "llm":
        prices = {one["key"]: one["price"] for one in model.get("pricing") or ()}
        return f"${prices.get('input')} in and ${prices.get('output')} out per million tokens"
    return f"from ${model.get('priceFrom')} per {model.get('priceUnit')}"


def cents_of(usd: float) -> int:
    """Return US dollars as whole cents, rounded down. Decimal, because 0.29 * 100 is below 29 in floats."""
    return int(Decimal(str(usd)) * 100)


def dollars(cents: int) -> str:
    """Return cents as dollars, such as `$1,234.05`, like `kit/money.py`."""
    return f"${cents // 100:,}.{cents % 100:02}"
