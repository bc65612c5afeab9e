"""The checks of `tollgate doctor` for the AWS account: obstacles to a first deployment or to requests."""

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from tollgate.catalog.loader import Catalog
from tollgate.command.checks import Check, CheckResult, Stack, State
from tollgate.command.concurrency import GOOD_LIMIT, KEPT, UNRESERVED, recommended

COGNITO_MAILS_PER_DAY = 50
# A deployment uploads 118 MB: layers of 105 MB, and 18 functions of 0.7 MB. Lambda counts every version.
CODE_BYTES = 250_000_000
# The template creates 21 roles.
ROLES = 25
# Quotas of CloudFront for an account. A response lists at most 100.
CLOUDFRONT_POLICIES = 20
ORIGIN_ACCESS_CONTROLS = 100
# The start of a Claude model's id at Bedrock: the profile that runs the model in any region.
PROFILE = "global."
PRODUCTION = "ask for production access (SES, account dashboard)"


def concurrency(stack: Stack) -> Iterator[CheckResult]:
    """Check the places that all functions of the account share (docs/deploy.md, The account's limit)."""
    about = "functions at once"
    account = stack.client("lambda").get_account_settings()["AccountLimit"]
    limit = account["ConcurrentExecutions"]
    others = limit - account["UnreservedConcurrentExecutions"] - _reserved(stack)
    advice = recommended(limit, others)
    deploy = "deploy with " + " ".join(f"{name}={value}" for name, value in advice.items())
    if limit < GOOD_LIMIT:
        now = (
            f"until then {deploy}"
            if advice
            else f"until then reserve none, because AWS keeps {UNRESERVED} free"
        )
        yield CheckResult(
            about,
            State.ACT,
            f"the account may run {limit}; {limit} streams stop the timer and the payments",
            f"request {GOOD_LIMIT} (Service Quotas, Lambda, concurrent executions); {now}",
        )
    elif stack.parameter("ReserveConcurrency") != "true":
        yield CheckResult(
            about,
            State.ACT if stack.is_prod else State.GOOD,
            f"the account may run {limit}, and no place is kept for the timer and the dispatcher",
            (deploy if advice else f"other functions reserve {others}: free some") if stack.is_prod else "",
        )
    else:
        yield CheckResult(about, State.GOOD, f"the account may run {limit}")
    assumed = stack.parameter("AccountConcurrency")
    if assumed and int(assumed) != limit:
        do = f"deploy with AccountConcurrency={limit}"
        yield CheckResult(about, State.ACT, f"the alarm at 70 % assumes {assumed}", do)


def _reserved(stack: Stack) -> int:
    """Return how many places the stack currently reserves."""
    if stack.is_new:
        return 0
    kept = sum(KEPT.values()) if stack.parameter("ReserveConcurrency") == "true" else 0
    return kept + int(stack.parameter("TextConcurrency") or 0)


def mail(stack: Stack) -> Iterator[CheckResult]:
    """Check that mails for sign-in and to members can be sent."""
    yield from _sign_in_mail(stack)
    address = stack.parameter("MailFrom")
    if address:
        yield from _sending(stack, "mails to members", address)
    else:
        yield CheckResult("mails to members", State.GOOD, "none are sent, because MailFrom is not set")


def _sign_in_mail(stack: Stack) -> Iterator[CheckResult]:
    about, identity = "sign-in mail", stack.parameter("SignInMailIdentityArn")
    if not stack.is_new and not stack.physical("AWS::Cognito::UserPool"):
        return
    if identity:
        yield from _sending(stack, about, identity.rpartition("identity/")[2])
        return
    yield CheckResult(
        about,
        State.ACT if stack.is_prod else State.GOOD,
        f"Cognito's default sender is limited to {COGNITO_MAILS_PER_DAY} mails a day",
        "verify an address or domain in SES, and deploy with SignInMailIdentityArn=<its ARN>",
    )


def _sending(stack: Stack, about: str, identity: str) -> Iterator[CheckResult]:
    """Check whether SES can send as `identity`, an address or a domain, and to which recipients."""
    client = stack.client("sesv2")
    if not any(_is_verified(client, name) for name in dict.fromkeys((identity, identity.rpartition("@")[2]))):
        do = "verify it in SES of this region"
        yield CheckResult(about, State.ACT, f"SES cannot send as {identity}: it is not verified here", do)
    account = client.get_account()
    if account["ProductionAccessEnabled"]:
        yield CheckResult(about, State.GOOD, f"{account['SendQuota']['Max24HourSend']:g} mails a day by SES")
    else:
        said = "SES is in its sandbox and sends only to verified addresses"
        yield CheckResult(about, State.ACT, said, PRODUCTION)


def _is_verified(client: Any, identity: str) -> bool:
    try:
        found = client.get_email_identity(EmailIdentity=identity)
    except ClientError as exc:
        if exc.response["Error"]["Code"] != "NotFoundException":
            raise
        return False
    return bool(found["VerifiedForSendingStatus"])


def files(stack: Stack) -> Iterator[CheckResult]:
    """Check that the account may have a CloudFront distribution, and that its logs arrive."""
    about, client = "CloudFront", stack.client("cloudfront")
    if stack.is_new:
        if client.list_distributions(MaxItems="1")["DistributionList"]["Quantity"]:
            yield CheckResult(about, State.GOOD, "the account has a distribution, so it is verified")
        else:
            yield CheckResult(
                about,
                State.UNKNOWN,
                "the account has no distribution, and AWS does not report if it may create one",
                'if a deployment ends with "Your account must be verified before you can add new CloudFront '
                'resources", ask AWS Support to verify it',
            )
        yield from _room_at_cloudfront(client)
    region = stack.client("account").meta.region_name
    status = stack.client("account").get_region_opt_status(RegionName=region)["RegionOptStatus"]
    if stack.is_prod and status != "ENABLED_BY_DEFAULT":
        said = f"CloudFront delivers no logs to buckets in {region}, which is an opt-in region"
        yield CheckResult(about, State.ACT, said, "deploy prod in a region that is on by default")


def _room_at_cloudfront(client: Any) -> Iterator[CheckResult]:
    counted = {
        "cache policies": (
            client.list_cache_policies(Type="custom")["CachePolicyList"],
            CLOUDFRONT_POLICIES,
        ),
        "response headers policies": (
            client.list_response_headers_policies(Type="custom")["ResponseHeadersPolicyList"],
            CLOUDFRONT_POLICIES,
        ),
        "origin access controls": (
            client.list_origin_access_controls()["OriginAccessControlList"],
            ORIGIN_ACCESS_CONTROLS,
        ),
    }
    for name, (found, most) in counted.items():
        if found["Quantity"] >= most:
            said = f"the account has {found['Quantity']} {name}, and the default limit is {most}"
            yield CheckResult("CloudFront", State.ACT, said, "delete an unused one, or request more")


def bedrock(stack: Stack) -> Iterator[CheckResult]:
    """Check access to the Claude models for which Bedrock is the reserve."""
    is_live = "bedrock" in stack.live
    if not is_live and not stack.is_new:
        return
    client = stack.client("bedrock")
    without = [model for model in bedrock_models() if not _may_use(client, model)]
    if not without:
        yield CheckResult("Bedrock", State.GOOD, "the account has access to each Claude model of the catalog")
        return
    do = (
        "open one in Bedrock's console as a user with aws-marketplace:Subscribe, and submit Anthropic's use"
        " case form; this is needed once per account"
    )
    said = f"the account has no access to {', '.join(without)}"
    yield CheckResult(
        "Bedrock", State.ACT if is_live else State.GOOD, said, do if is_live else f"to use Bedrock, {do}"
    )


def bedrock_models() -> list[str]:
    """Return Bedrock's ids of the catalog's models."""
    routes = [
        route
        for model in Catalog.shipped().text_models()
        for route in model.routes
        if route.provider == "bedrock"
    ]
    return [route.upstream.removeprefix(PROFILE) for route in routes]


def _may_use(client: Any, model: str) -> bool:
    found = client.get_foundation_model_availability(modelId=model)
    return bool(
        found["agreementAvailability"]["status"] == "AVAILABLE"
        and found["authorizationStatus"] == "AUTHORIZED"
        and found["entitlementAvailability"] == "AVAILABLE"
    )


def quotas(stack: Stack) -> Iterator[CheckResult]:
    """Check the room for the template's resources, and the limit on requests."""
    settings = stack.client("lambda").get_account_settings()
    free = settings["AccountLimit"]["TotalCodeSize"] - settings["AccountUsage"]["TotalCodeSize"]
    gb = f"{free / 1e9:.1f} GB"
    if free < CODE_BYTES:
        do = "delete old versions and layers, or request more (Service Quotas, Lambda, storage)"
        yield CheckResult(
            "code storage", State.ACT, f"{gb} are free, and a deployment needs a quarter of one", do
        )
    else:
        yield CheckResult("code storage", State.GOOD, f"{gb} are free")
    if stack.is_new:
        roles = stack.client("iam").get_account_summary()["SummaryMap"]
        free_roles = roles["RolesQuota"] - roles["Roles"]
        if free_roles < ROLES:
            do = "delete some, or request more (Service Quotas, IAM, roles per account)"
            yield CheckResult(
                "roles", State.ACT, f"{free_roles} more are allowed, and the stack makes {ROLES}", do
            )
    allowed = stack.client("apigateway").get_account()["throttleSettings"]["rateLimit"]
    wanted = int(stack.parameter("RequestsPerSecond") or 0)
    if wanted > allowed:
        do = f"request more (Service Quotas, API Gateway, throttle rate), or RequestsPerSecond={allowed:g}"
        said = f"all APIs of the account together get {allowed:g}, and RequestsPerSecond is {wanted}"
        yield CheckResult("requests a second", State.ACT, said, do)


# These checks also work on an emulator.
OF_ANY_ACCOUNT: dict[str, Check] = {"functions at once": concurrency, "mails": mail}
ON_AWS: dict[str, Check] = {"CloudFront": files, "Bedrock": bedrock, "quotas": quotas}
