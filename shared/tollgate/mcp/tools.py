"""The tools for agents. Tools that spend money show the amount in dollars."""

import base64
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ImageContent, TextContent, ToolAnnotations
from pydantic import Field

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
TaskId = Annotated[str, Field(description="The id returned by generate.")]


def server(service: Service, version: str) -> MCPServer[Any]:
    """Return the MCP server for one caller."""
    made: MCPServer[Any] = MCPServer(
        name="tollgate", title="Tollgate", instructions=INSTRUCTIONS, version=version
    )
    tools = Tools(service)
    made.add_tool(tools.list_models, annotations=_READS, structured_output=False)
    made.add_tool(tools.describe_model, annotations=_READS, structured_output=False)
    made.add_tool(tools.estimate, annotations=_READS, structured_output=False)
    made.add_tool(tools.generate, annotations=_SPENDS, structured_output=False)
    made.add_tool(tools.get_task, annotations=_READS, structured_output=False)
    made.add_tool(tools.cancel_task, annotations=_SPENDS, structured_output=False)
    made.add_tool(tools.delete_task_files, annotations=_DELETES, structured_output=False)
    made.add_tool(tools.chat, annotations=_SPENDS, structured_output=False)
    made.add_tool(tools.balance, annotations=_READS, structured_output=False)
    return made


class Tools:
    """The tools. Agents read their docstrings."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def list_models(
        self,
        kind: Annotated[
            Literal["image", "video", "music", "text"] | None, Field(description="Only models of this kind.")
        ] = None,
        capability: Annotated[
            str | None, Field(description="Such as text-to-video or image-to-image.")
        ] = None,
    ) -> str:
        """List the models with their prices. Free."""
        try:
            found = await self._service.models("llm" if kind == "text" else None, capability)
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc
        fitting = [one for one in found if kind is None or str(one["type"]).lower() == kind]
        lines = [
            f"{one['id']} ({str(one['type']).lower()}, {price_of(one)}): {one['name']}" for one in fitting
        ]
        return "\n".join(lines[:MAX_LISTED]) or "No model matches."

    async def describe_model(self, model: Model) -> str:
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
        )
        return json.dumps({name: found[name] for name in shown if found.get(name)}, ensure_ascii=False)

    async def estimate(self, model: Model, input: Input) -> str:  # noqa: A002 - the API's own name
        """Return the exact charge of generate for this input, and its price_version. Free."""
        try:
            found = await self._service.estimate(model, input)
            return f"{dollars(int(found['price']))} (price_version {found['priceVersion']})"
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def generate(
        self,
        model: Model,
        input: Input,  # noqa: A002 - the API's own name
        max_cost_usd: Annotated[
            float | None, Field(gt=0, allow_inf_nan=False, description="Refuse a higher price.")
        ] = None,
        price_version: Annotated[
            str | None, Field(description="From estimate: refuse if prices have changed since.")
        ] = None,
        wait_seconds: Wait = 20,
    ) -> CallToolResult:
        """Generate an image, a video or music.

        COSTS MONEY: the price from estimate is charged at once, and refunded in full if it fails. Returns the
        files' URLs and small images, or the task's id.
        """
        cents = None if max_cost_usd is None else cents_of(max_cost_usd)
        try:
            # The service compares the bound with the price that it charges, so the price cannot change in
            # between.
            task_id = await self._service.create(model, input, maxCostCents=cents, priceVersion=price_version)
            return await self._shown(await self._service.task(task_id, wait_seconds))
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def get_task(self, task_id: TaskId, wait_seconds: Wait = 20) -> CallToolResult:
        """Return the status of a generation, with its files when it is finished. Free."""
        try:
            return await self._shown(await self._service.task(task_id, wait_seconds))
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def cancel_task(self, task_id: TaskId) -> CallToolResult:
        """Cancel a generation. It is refunded if it ends without a result."""
        try:
            return await self._shown(await self._service.cancel(task_id))
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def delete_task_files(self, task_id: TaskId) -> CallToolResult:
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
    ) -> str:
        """Ask a text model. COSTS MONEY: its tokens, at the prices of list_models."""
        before = [{"role": "system", "content": system}] if system else []
        messages = [*before, {"role": "user", "content": prompt}]
        # Always limited. Otherwise the hold would cover the model's own maximum.
        body = {"model": model, "messages": messages, "max_tokens": max_tokens}
        try:
            answer = await self._service.chat(body)
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc
        choices = answer.get("choices") or [{}]
        return str((choices[0].get("message") or {}).get("content") or "")

    async def balance(self) -> str:
        """Return the account's balance. The API key needs the scope `account`. Free."""
        try:
            return dollars(await self._service.balance_cents())
        except ServiceError as exc:
            raise ToolError(str(exc)) from exc

    async def _shown(self, task: Mapping[str, Any]) -> CallToolResult:
        """Return a task as text, with its small images."""
        content: list[Any] = [TextContent(type="text", text=json.dumps(told(task), ensure_ascii=False))]
        images = [one for one in task.get("files") or () if one.get("fileType") == "image"]
        for one in images[:MAX_INLINE_IMAGES]:
            if (found := await self._service.small_file(one["fileUrl"])) is not None:
                data = base64.b64encode(found[0]).decode()
                content.append(ImageContent(type="image", data=data, mime_type=found[1]))
        # Agents use this flag to detect a failure, not the text.
        return CallToolResult(content=content, is_error=task["status"] in ("failed", "expired"))


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
    """Return cents as dollars, such as `$1.05`."""
    return f"${cents // 100}.{cents % 100:02}"
