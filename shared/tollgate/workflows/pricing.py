"""The price of each step before there are results: exact for generations, the most for chats.

Samples replace references: an address that no file has, and a text of the greatest size. So the
input is checked as the real one will be. A price that depends on a file that does not exist yet is its most,
or is refused (`catalog/unknown_files.py`).
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.batches.calls import has_images
from tollgate.catalog.kinds import media_of
from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.quotes.parts import text_part
from tollgate.quotes.request import Asked, check_scopes
from tollgate.routing.selection import Policies
from tollgate.tasks.media_kinds import texts_in
from tollgate.tasks.priced import PricedTask
from tollgate.tasks.service import TaskService, below
from tollgate.text.body.request import LIMIT_FIELDS, TextRequest, read_request
from tollgate.text.models import TextProtocol
from tollgate.text.routes.exchanges import RouteCheck
from tollgate.workflows.models import MAX_FILES, MAX_TEXT_BYTES, Step, StepKind
from tollgate.workflows.references import Reference, with_results
from tollgate.workflows.request import CHAT_OPTIONS, AskedStep

CHAT_PATH = "/api/v1/chat/completions"
# Fields of a chat that a step cannot have: no one reads a stream, a second answer or a call of a function.
REFUSED = (
    "model",
    "stream",
    "n",
    "tools",
    "tool_choice",
    "functions",
    "function_call",
    "audio",
    "modalities",
)
# The most that a chat takes: its longest call, and the time until a worker that died is noticed, twice.
CHAT_TIME_S = 40 * 60
# Longer than the address of any result, so that a real one takes no more tokens.
SAMPLE_URL_LENGTH = 512
# The address of a private result has a signature and AWS's session token, usually less than 4,096 bytes
# (docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp_request.html).
SIGNED_URL_LENGTH = 5_000
SAMPLE_TEXT = "text"
_TYPES = {"IMAGE": "image", "VIDEO": "video", "MUSIC": "audio", "3D": "3d"}


@dataclass(frozen=True, slots=True)
class StepPricing:
    """Prices the steps of a workflow."""

    tasks: TaskService
    catalog: Catalog
    routes: RouteCheck

    def priced(self, asked: Sequence[AskedStep], key: ApiKey) -> tuple[Step, ...]:
        """Return the steps with their prices; nothing is charged.

        Raises `InvalidInputError` with the problems of all steps, `ForbiddenError`, and the other errors of
        `TaskService.priced`.
        """
        models = {step.step_id: self.catalog.find_by_name(step.model) for step in asked}
        media = {name: model for name, model in models.items() if isinstance(model, Model)}
        # An unknown model is reported like an unknown media model.
        chats = {name for name, model in models.items() if model is not None and name not in media}
        problems = [found for step in asked for found in _kind_problems(step, set(media), chats)]
        if problems:
            raise InvalidInputError(problems)
        check_scopes((step.step_id in chats for step in asked), key)
        private = {step.step_id for step in asked if step.options.get("private") is True}
        samples = _Samples(self.tasks.inputs.storage_url, private)
        generations = [step for step in asked if step.step_id not in chats]
        priced = self._generations(generations, samples, key)
        by_id = {step.step_id: one for step, one in zip(generations, priced, strict=True)}
        problems += [found for step in asked for found in _index_problems(step, by_id)]
        problems += [found for step in generations for found in _type_problems(step, by_id, samples)]
        found = {step.step_id: _generation(step, by_id[step.step_id]) for step in generations}
        for step in asked:
            if step.step_id in chats:
                with below(step.pointer, problems):
                    found[step.step_id] = self._chat(step, samples, key)
        if problems:
            raise InvalidInputError(problems)
        return tuple(found[step.step_id] for step in asked)

    def _generations(
        self, asked: Sequence[AskedStep], samples: "_Samples", key: ApiKey
    ) -> Sequence[PricedTask]:
        bodies = {
            step.pointer: media_body(step.model, with_results(step.input, samples.of), step.options)
            for step in asked
        }
        priced = self.tasks.priced(key.account_id, bodies, key, samples.known)
        self.tasks.check_routes(key.account_id, dict(zip(bodies, priced, strict=True)))
        return priced

    def _chat(self, step: AskedStep, samples: "_Samples", key: ApiKey) -> Step:
        """Return a chat with the most that it can cost. Raises `InvalidInputError`, as below its pointer."""
        problems = [
            Problem(f"/input/{name}", "A step of a workflow cannot have it.")
            for name in REFUSED
            if name in step.input
        ]
        problems += [
            Problem(f"/{name}", "Is in the input of the step too.")
            for name in step.options
            if name in step.input
        ]
        limits = LIMIT_FIELDS[TextProtocol.OPENAI]
        if not any(name in step.input for name in limits):
            message = "Required, because it bounds the price of the step."
            problems.append(Problem(f"/input/{limits[-1]}", message))
        if problems:
            raise InvalidInputError(problems)
        body = chat_body(step.model, with_results(step.input, samples.longest), step.options)
        try:
            request = read_request(TextProtocol.OPENAI, json.dumps(body).encode())
            account = self.tasks.charges.budgets.routing(key.account_id)
            asked = Asked("", CHAT_PATH, body, request)
            self._check_images(request)
            check = self.routes.under(Policies(account, key.routing))
            part = text_part(asked, request, self.catalog, key, check)
        except InvalidInputError as exc:
            raise exc.renamed(lambda problem: _below_input(problem, step.options)) from exc
        return Step(
            step.step_id,
            StepKind.CHAT,
            part.model,
            step.input,
            step.needs,
            part.micro_usd,
            part.version,
            is_exact=False,
            time_s=CHAT_TIME_S,
            options=step.options,
        )

    def _check_images(self, request: TextRequest) -> None:
        """Raise `InvalidInputError` for a chat that a model with images in its responses may answer."""
        for name in (request.model, *request.asked.fallbacks):
            model = self.catalog.find_by_name(name)
            if isinstance(model, CatalogTextModel) and model.images is not None:
                raise has_images(model.id)


def chat_body(model: str, values: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of the chat of a step."""
    return {**values, **options, "model": model}


def media_body(model: str, values: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of the create request of a step."""
    return {**options, "model": model, "input": values}


@dataclass(slots=True)
class _Samples:
    """Samples of results. `known` are the addresses that were used, with the step that will have the file.

    `private` are the ids of steps whose files have signed addresses.
    """

    storage_url: str
    private: Collection[str] = ()
    known: dict[str, Reference] = field(default_factory=dict)

    def of(self, reference: Reference) -> str:
        """Return a sample that any input with a file or a text takes."""
        if reference.index is None:
            return SAMPLE_TEXT
        url = f"{self.storage_url}/media/workflow/{reference.step}/{reference.index}/"
        url += "x" * (SAMPLE_URL_LENGTH - len(url))
        self.known[url] = reference
        return url

    def longest(self, reference: Reference) -> str:
        """Return a sample of the greatest size."""
        if reference.index is None:
            return "x" * MAX_TEXT_BYTES
        url = self.of(reference)
        return url.ljust(SIGNED_URL_LENGTH, "x") if reference.step in self.private else url


def _generation(step: AskedStep, priced: PricedTask) -> Step:
    return Step(
        step.step_id,
        StepKind.MEDIA,
        priced.request.model.id,
        step.input,
        step.needs,
        priced.price.charge_micro_usd,
        priced.price.price_version,
        priced.is_exact,
        priced.request.time_s,
        step.options,
    )


def _kind_problems(step: AskedStep, media: set[str], chats: set[str]) -> Iterator[Problem]:
    """Yield the references to files of chats, and to texts of generations; and options of a chat."""
    for name in step.options if step.step_id in chats else ():
        if name not in CHAT_OPTIONS:
            yield Problem(f"{step.pointer}/{name}", "Only a generation can have it.")
    for place in step.places:
        reference = place.reference
        if reference is not None and reference.step in (media if reference.index is None else chats):
            has = "text, and no files" if reference.step in chats else "files, and no text"
            yield Problem(place.pointer, f"The step '{reference.step}' has {has}.")


def _index_problems(step: AskedStep, by_id: Mapping[str, PricedTask]) -> Iterator[Problem]:
    """Yield the references to files that an earlier step does not make."""
    for place in step.places:
        if place.reference is not None and place.reference.index is not None:
            most = _most_files(by_id[place.reference.step])
            if place.reference.index >= most:
                files = f"{most} file{'' if most == 1 else 's'} at most"
                message = f"The step '{place.reference.step}' has {files}."
                yield Problem(place.pointer, message, f"0 to {most - 1}")


def _type_problems(step: AskedStep, by_id: Mapping[str, PricedTask], samples: _Samples) -> Iterator[Problem]:
    """Yield the references to files of another type than a field's."""
    checked = by_id[step.step_id].request
    for name, info in checked.model.input_class.published().items():
        wanted = media_of(info)
        for _, text in texts_in(checked.checked.values.get(name)):
            if text in samples.known and wanted:
                made = _TYPES[by_id[samples.known[text].step].request.model.media_type]
                if made not in wanted:
                    message = f"Must be {' or '.join(sorted(wanted))}; {samples.known[text]} is {made}."
                    yield Problem(f"{step.pointer}/input/{name}", message, sorted(wanted))


def _most_files(one: PricedTask) -> int:
    times = one.request.model.pricing.times
    return MAX_FILES if times is None else int(one.request.checked.values.get(times, 1))


def _below_input(problem: Problem, options: Mapping[str, Any]) -> Problem:
    """Return a problem of a chat's body at its place in the step."""
    is_beside = problem.path.split("/")[1] in ("model", *options)
    place = problem.path if is_beside else f"/input{problem.path}"
    return Problem(place, problem.message, problem.allowed)
