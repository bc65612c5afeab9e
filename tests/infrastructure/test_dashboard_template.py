"""The dashboard's sign-in, as the template declares it."""

import json
from dataclasses import MISSING, fields
from typing import Any

import pytest

from local.template import Template
from tollgate.composition.dashboard import DashboardSettings
from tollgate.kit.settings import unpacked
from tollgate.web.pool import OIDC, SAML, PoolSettings

POOL = ("UserPool", "UserPoolDomain", "UserPoolClient", "SignInParameter")


def properties(template: Template, name: str) -> Any:
    """Return the properties of a resource."""
    return template.resources[name]["Properties"]


class TestSignIn:
    def test_there_is_a_user_pool_on_aws_alone(self, template: Template) -> None:
        assert {template.resources[name]["Condition"] for name in POOL} == {"IsOnAws"}
        assert template.source["Conditions"]["IsOnAws"] == {"Fn::Equals": [{"Ref": "LocalEndpoint"}, ""]}

    def test_the_client_is_a_public_one_that_takes_codes_alone(self, template: Template) -> None:
        client = properties(template, "UserPoolClient")
        assert client["AllowedOAuthFlows"] == ["code"]
        assert client["GenerateSecret"] is False
        assert client["AllowedOAuthFlowsUserPoolClient"] is True

    def test_it_comes_back_to_the_dashboard_by_whichever_name_the_api_has(self, template: Template) -> None:
        client = properties(template, "UserPoolClient")
        for urls, end in (("CallbackURLs", "/sign-in/callback"), ("LogoutURLs", "/sign-in")):
            (url,) = client[urls]
            condition, own, given = url["Fn::If"]
            assert condition == "HasDomain"
            assert own["Fn::Sub"] == f"https://${{DomainName}}/dashboard{end}"
            base_url = "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/live"
            assert given["Fn::Sub"] == f"{base_url}/dashboard{end}"

    def test_the_function_reads_the_parameter_that_the_pool_is_told_in(self, template: Template) -> None:
        parameter = properties(template, "SignInParameter")
        told = template.variables("DashboardFunction")["SIGN_IN_PARAMETER"]
        assert told == {"Fn::If": ["IsOnAws", parameter["Name"], {"Ref": "AWS::NoValue"}]}
        condition, with_company, without = parameter["Value"]["Fn::If"]
        assert condition == "HasCompany"
        assert set(json.loads(with_company["Fn::Sub"])) == set(PoolSettings.model_fields)
        # The version before refuses fields that it does not know.
        assert set(json.loads(without["Fn::Sub"])) == {"issuer", "client_id", "domain"}

    def test_a_companys_provider_is_there_only_with_its_parameters(self, template: Template) -> None:
        known = {"OidcProvider": ("HasOidc", OIDC), "SamlProvider": ("HasSaml", SAML)}
        wanted: list[Any] = ["COGNITO"]
        for name, (condition, provider) in known.items():
            resource = template.resources[name]
            assert resource["Condition"] == condition
            assert resource["Properties"]["ProviderName"] == provider
            # The operator decides about addresses (web/pool.py), never the provider's claim.
            assert set(resource["Properties"]["AttributeMapping"]) == {"email"}
            ordered = {"Fn::Select": [0, [provider, {"Ref": name}]]}
            wanted.append({"Fn::If": [condition, ordered, {"Ref": "AWS::NoValue"}]})
        assert properties(template, "UserPoolClient")["SupportedIdentityProviders"] == wanted
        details = template.resources["OidcProvider"]["Properties"]["ProviderDetails"]
        # CloudFormation reads the secret itself, so no parameter, output or event shows it. Enter passes no
        # parameter with `NoEcho` in the guided deployment (tests/aws/test_guided.py).
        assert not any("NoEcho" in each for each in template.source["Parameters"].values())
        reference = "{{resolve:secretsmanager:${OidcClientSecretName}:SecretString}}"
        assert details["client_secret"] == {"Fn::Sub": reference}

    def test_a_pool_in_prod_cannot_be_deleted(self, template: Template) -> None:
        protection = properties(template, "UserPool")["DeletionProtection"]
        assert protection == {"Fn::If": ["IsProd", "ACTIVE", "INACTIVE"]}

    def test_the_key_of_the_sessions_is_made_by_aws(self, template: Template) -> None:
        secret = properties(template, "SessionSecret")
        assert "SecretString" not in secret
        assert secret["GenerateSecretString"]["PasswordLength"] == 64

    def test_no_deployed_function_is_told_of_the_development_sign_in(self, template: Template) -> None:
        for function in template.functions():
            assert "TOLLGATE_DEVELOPMENT_SIGN_IN" not in template.variables(function)


@pytest.mark.parametrize("function", ["DashboardFunction", "AdminFunction"])
def test_both_functions_with_pages_have_all_settings_that_are_required(
    template: Template, function: str
) -> None:
    given = {
        name: value["Fn::Sub"] if isinstance(value, dict) and "Fn::Sub" in value else str(value)
        for name, value in template.variables(function).items()
        if value != {"Ref": "AWS::NoValue"}
    }
    required = {one.name.upper() for one in fields(DashboardSettings) if one.default is MISSING}
    assert required - set(unpacked(given)) == set()
