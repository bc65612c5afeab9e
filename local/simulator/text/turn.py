"""The outcome of a request, independent of its protocol: refused, lost, delayed or successful."""

import asyncio
from dataclasses import dataclass

from local.simulator.directions import MS_PER_S, Directions
from local.simulator.engine import Engine, Visit
from local.simulator.text.content import Answer, Ask, answer
from local.simulator.text.directions import TextDirections, parse_text
from local.simulator.wire import LostAnswerError


@dataclass(frozen=True, slots=True)
class Turn:
    """A response and its directions. `common` are the directions that apply to all providers."""

    answer: Answer
    directions: TextDirections
    common: Directions


async def take_turn(engine: Engine, model: str, ask: Ask) -> Turn | int:
    """Return the outcome of `ask`: a response, or the HTTP status of a refusal.

    Raises `LostAnswerError` if the response must be lost.
    """
    visit = engine.receive(model, ask.prompt)
    if (status := _refused_status(visit)) is not None:
        return status
    await asyncio.sleep(visit.directions.hang_ms / MS_PER_S)
    if visit.directions.lost:
        raise LostAnswerError
    directions = parse_text(ask.prompt, engine.provider)
    return Turn(answer(ask, directions), directions, visit.directions)


def _refused_status(visit: Visit) -> int | None:
    if visit.refused_status is not None:
        return visit.refused_status
    if visit.directions.reject:
        return 400
    return 500 if visit.directions.fail else None
