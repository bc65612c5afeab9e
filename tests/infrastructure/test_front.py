"""What stands before the API where somebody asks for it: a name of one's own, a firewall. And who watches."""

import json
import re

from botocore.session import Session

from local.template import Template, named

GRID = 24


class TestDomain:
    def test_it_is_there_where_a_name_is_given(self, template: Template) -> None:
        for resource in ("ApiDomain", "ApiDomainMapping"):
            assert template.resources[resource]["Condition"] == "HasDomain"
        assert template.source["Conditions"]["HasDomain"] == {
            "Fn::Not": [{"Fn::Equals": [{"Ref": "DomainName"}, ""]}]
        }

    def test_a_name_without_a_certificate_is_refused(self, template: Template) -> None:
        rule = template.source["Rules"]["DomainHasCertificate"]
        (assertion,) = rule["Assertions"]
        assert rule["RuleCondition"] == template.source["Conditions"]["HasDomain"]
        assert assertion["Assert"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "CertificateArn"}, ""]}]}

    def test_the_api_is_at_its_root(self, template: Template) -> None:
        mapping = template.of_type("AWS::ApiGateway::BasePathMapping")["ApiDomainMapping"]
        assert "BasePath" not in mapping
        assert (named(mapping["RestApiId"]), named(mapping["Stage"])) == ("Api", "ApiliveStage")

    def test_a_record_is_made_in_a_zone_that_is_given(self, template: Template) -> None:
        assert template.resources["ApiDomainRecord"]["Condition"] == "HasDomainRecord"
        record = template.of_type("AWS::Route53::RecordSet")["ApiDomainRecord"]
        assert named(record["AliasTarget"]["DNSName"]) == "ApiDomain.RegionalDomainName"


class TestFirewall:
    def test_it_is_there_where_a_rate_is_given(self, template: Template) -> None:
        for resource in ("Firewall", "FirewallAssociation"):
            assert template.resources[resource]["Condition"] == "HasFirewall"
        assert template.source["Parameters"]["RequestsPerAddress"]["Default"] == 0
        assert template.source["Conditions"]["HasFirewall"] == {
            "Fn::Not": [{"Fn::Equals": [{"Ref": "RequestsPerAddress"}, 0]}]
        }

    def test_it_blocks_an_address_above_the_rate_and_nobody_else(self, template: Template) -> None:
        firewall = template.of_type("AWS::WAFv2::WebACL")["Firewall"]
        (rule,) = firewall["Rules"]
        rate = rule["Statement"]["RateBasedStatement"]
        assert firewall["DefaultAction"] == {"Allow": {}}
        assert rule["Action"] == {"Block": {}}
        assert (rate["AggregateKeyType"], rate["EvaluationWindowSec"]) == ("IP", 300)
        assert named(rate["Limit"]) == "RequestsPerAddress"

    def test_a_rate_that_waf_refuses_is_refused_before_the_deployment(self, template: Template) -> None:
        # WAF's API says how low and how high: its model is botocore's
        model = Session().get_service_model("wafv2").shape_for("RateLimit").metadata
        parameter = template.source["Parameters"]["RequestsPerAddress"]
        (assertion,) = template.source["Rules"]["FirewallTakesTenOrMore"]["Assertions"]
        ((refused, value),) = (each["Fn::Contains"] for each in assertion["Assert"]["Fn::Not"])
        assert value == {"Ref": "RequestsPerAddress"}
        assert refused == [str(rate) for rate in range(1, model["min"])]
        assert (parameter["MinValue"], parameter["MaxValue"]) == (0, model["max"])

    def test_it_keeps_no_samples_of_requests(self, template: Template) -> None:
        firewall = template.of_type("AWS::WAFv2::WebACL")["Firewall"]
        for settings in (firewall["VisibilityConfig"], firewall["Rules"][0]["VisibilityConfig"]):
            assert settings["SampledRequestsEnabled"] is False

    def test_it_stands_before_the_stage_of_the_api(self, template: Template) -> None:
        association = template.of_type("AWS::WAFv2::WebACLAssociation")["FirewallAssociation"]
        text, names = association["ResourceArn"]["Fn::Sub"]
        assert text.endswith("::/restapis/${Api}/stages/${ApiStage}")
        assert named(names["ApiStage"]) == "ApiliveStage"


class TestOperations:
    def test_every_widget_has_a_place_of_its_own(self, template: Template) -> None:
        (board,) = template.of_type("AWS::CloudWatch::Dashboard").values()
        widgets = json.loads(board["DashboardBody"]["Fn::Sub"])["widgets"]
        taken = [
            (widget["x"] + x, widget["y"] + y)
            for widget in widgets
            for x in range(widget["width"])
            for y in range(widget["height"])
        ]
        assert len(taken) == len(set(taken))
        assert max(x for x, _ in taken) < GRID

    def test_it_shows_this_stack_alone(self, template: Template) -> None:
        (board,) = template.of_type("AWS::CloudWatch::Dashboard").values()
        text = board["DashboardBody"]["Fn::Sub"]
        assert set(re.findall(r"\$\{(.+?)\}", text)) == {"AWS::Region", "AWS::StackName"}
        for search in re.findall(r"SEARCH\((.+?)\)", text):
            assert "AWS::StackName" in search
