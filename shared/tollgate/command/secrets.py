"""The providers' keys of a stack: store a key, list the providers. No command shows a key.

A provider with a stored key becomes live: its name is added to the stack's parameter `LiveProviders`
(decision 0006). The local service takes its keys from the environment.
"""

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from tollgate.command.errors import CommandError
from tollgate.command.options import AsJson
from tollgate.command.stack_update import update_parameter
from tollgate.command.target import BOUNDS, StackFacts, aws_session, stack_facts
from tollgate.payments.secret import StripeKeys
from tollgate.providers.runtime.accounts import accounts
from tollgate.providers.runtime.secret import Credentials, MalformedSecretError, read_credentials
from tollgate.reconciliation.reports import REPORTS

if TYPE_CHECKING:
    from types_boto3_secretsmanager import SecretsManagerClient

KNOWN = sorted(accounts())
# Not a provider. Its keys are for payments and have a separate secret (decision 0006).
STRIPE = "stripe"
# The outputs of the stack that name the secrets: keys for models, and admin keys for cost reports.
PROVIDER_KEYS, COST_KEYS = "ProviderSecretArn", "CostKeysSecretArn"
# The value of `LiveProviders` without keys.
NO_PROVIDER = "none"
# Much longer than any provider's key.
MAX_KEY_CHARS = 4096

cli = typer.Typer(no_args_is_help=True, help=__doc__)

Stack = Annotated[str, typer.Option(help="The service's stack.")]


@cli.command("set")
def set_(
    provider: Annotated[str, typer.Argument(help=f"{STRIPE}, or one of {', '.join(KNOWN)}.")],
    stack: Stack,
    base_url: Annotated[
        str | None, typer.Option(help="The address, if it differs from the provider's default.")
    ] = None,
    costs: Annotated[
        bool, typer.Option("--costs", help="The key is an admin key that reads the provider's costs.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Store a provider's key, from a prompt or standard input, and switch the provider on.

    For stripe, it reads the secret key and the signing secret of the webhook endpoint. Top-ups are then on.
    """
    if provider == STRIPE:
        _set_stripe(stack, as_json=as_json)
        return
    if costs:
        _set_costs(stack, provider, base_url, as_json=as_json)
        return
    if provider not in KNOWN:
        raise CommandError(f"There is no provider {provider}. Choose one of: {', '.join(KNOWN)}.")
    if accounts()[provider].self_hosted and not base_url:
        raise CommandError(f"{provider} needs an address: give it with --base-url.")
    session = aws_session()
    cloudformation = session.client("cloudformation", config=BOUNDS)
    facts = stack_facts(cloudformation, stack)
    secrets = session.client("secretsmanager", config=BOUNDS)
    _store(secrets, facts, provider, _credentials(provider, base_url))
    live = _live(facts)
    # The key is stored first, because a live provider without a key fails every attempt.
    if provider not in live:
        typer.echo(f"The key is stored. Updating the stack {stack}; this takes some minutes.", err=True)
        live.add(provider)
        update_parameter(cloudformation, facts, "LiveProviders", ",".join(sorted(live)))
    message = f"{provider} is live in stack {stack}. A replaced key is used within 5 minutes."
    typer.echo(json.dumps({"provider": provider, "live": sorted(live)}) if as_json else message)


def _set_costs(stack: str, provider: str, base_url: str | None, *, as_json: bool) -> None:
    """Store the admin key of a provider, in place of an earlier one."""
    if provider not in REPORTS:
        raise CommandError(f"No cost report of {provider} is read. Choose one of: {', '.join(REPORTS)}.")
    session = aws_session()
    facts = stack_facts(session.client("cloudformation", config=BOUNDS), stack)
    secrets = session.client("secretsmanager", config=BOUNDS)
    _store(secrets, facts, provider, _credentials(provider, base_url), COST_KEYS)
    message = f"The costs of {provider} are compared from the next day on in stack {stack}."
    typer.echo(json.dumps({"provider": provider, "costs": True}) if as_json else message)


def _set_stripe(stack: str, *, as_json: bool) -> None:
    """Store Stripe's keys in place of any earlier keys."""
    session = aws_session()
    facts = stack_facts(session.client("cloudformation", config=BOUNDS), stack)
    secret_key, webhook_secret = _two_lines("Secret key of Stripe (sk_…)", "Signing secret (whsec_…)")
    try:
        keys = StripeKeys(secret_key=secret_key, webhook_secret=webhook_secret)
    except ValidationError as exc:
        raise CommandError("These are not valid keys: one is empty or contains spaces.") from exc
    # It is easy to enter them in the wrong order. Events would then fail the check of their signature, and no
    # payment would be credited.
    if not keys.secret_key.startswith(("sk_", "rk_")) or not keys.webhook_secret.startswith("whsec_"):
        raise CommandError("A secret key of Stripe starts with sk_ or rk_, a signing secret with whsec_.")
    text = json.dumps(keys.model_dump(by_alias=True, exclude_none=True))
    secrets = session.client("secretsmanager", config=BOUNDS)
    secrets.put_secret_value(SecretId=facts.output("StripeSecretArn"), SecretString=text)
    message = f"Top-ups are on in stack {stack}, within 5 minutes. No command shows the keys."
    typer.echo(json.dumps({"provider": STRIPE, "stack": stack}) if as_json else message)


def _two_lines(*asked: str) -> tuple[str, str]:
    """Return two secrets, from prompts at a terminal or else from the two lines of standard input."""
    if sys.stdin.isatty():
        first, second = (typer.prompt(words, hide_input=True) for words in asked)
    else:
        first, second = (*sys.stdin.read(MAX_KEY_CHARS).split("\n"), "", "")[:2]
    return first.strip(), second.strip()


@cli.command("list")
def list_(stack: Stack, as_json: AsJson = False) -> None:
    """Show the providers that have a key and the live providers, without their keys."""
    session = aws_session()
    facts = stack_facts(session.client("cloudformation", config=BOUNDS), stack)
    stored = _stored(session.client("secretsmanager", config=BOUNDS), facts)
    live = _live(facts)
    known = sorted({*stored, *live})
    rows = [{"provider": name, "key": name in stored, "live": name in live} for name in known]
    if as_json:
        typer.echo(json.dumps({"providers": rows}))
        return
    for name in known:
        typer.echo(f"{name:<12}{_state(has_key=name in stored, is_live=name in live)}")
    if not known:
        typer.echo(f"No keys yet. Add one: tollgate secrets set PROVIDER --stack {stack}")


def _state(*, has_key: bool, is_live: bool) -> str:
    if has_key and is_live:
        return "live"
    return "live, but has no key" if is_live else "not live: set its key again to enable it"


def _credentials(provider: str, base_url: str | None) -> Credentials:
    """Read the key. It is never an argument, because every user of the machine could read it."""
    if sys.stdin.isatty():
        key = typer.prompt(f"Key of {provider}", hide_input=True)
    else:
        key = sys.stdin.read(MAX_KEY_CHARS)
    try:
        return Credentials(key=key.strip(), base_url=base_url)
    except MalformedSecretError as exc:
        raise CommandError(
            "This is not a valid key: it is empty, or contains spaces or line breaks."
        ) from exc


def _stored(
    secrets: "SecretsManagerClient", facts: StackFacts, output: str = PROVIDER_KEYS
) -> dict[str, Credentials]:
    text = secrets.get_secret_value(SecretId=facts.output(output))["SecretString"]
    try:
        return read_credentials(text)
    except MalformedSecretError as exc:
        raise CommandError(f"The secret of the stack {facts.name} has an invalid format: {exc}") from exc


def _store(
    secrets: "SecretsManagerClient",
    facts: StackFacts,
    provider: str,
    credentials: Credentials,
    output: str = PROVIDER_KEYS,
) -> None:
    stored = {**_stored(secrets, facts, output), provider: credentials}
    text = json.dumps({name: each.stored() for name, each in stored.items()})
    secrets.put_secret_value(SecretId=facts.output(output), SecretString=text)


def _live(facts: StackFacts) -> set[str]:
    return set(facts.parameters.get("LiveProviders", NO_PROVIDER).split(",")) - {NO_PROVIDER}
