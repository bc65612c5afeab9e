"""What the template, the makefiles of the layers and samconfig.toml say of the same thing is the same."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from local.template import ROOT, Template
from tollgate.reference import clients, preview_store

SETTINGS = dict(re.findall(r"^(\w+) \??:?= (\S+)$", (ROOT / "layers/python.mk").read_text(), re.MULTILINE))

IMPORTING = """
import json, sys
import grimp
stems, extra = json.loads(sys.argv[1])
graph = grimp.build_graph("tollgate", *stems, include_external_packages=True, cache_dir=None)
assert set(extra) <= graph.modules
print(json.dumps([stem for stem in stems if set(extra) & graph.find_upstream_modules(stem, as_package=True)]))
"""


class TestLayers:
    def test_they_are_built_for_the_runtime_of_the_functions(self, template: Template) -> None:
        runtimes = {function["Runtime"] for function in template.functions().values()}
        assert runtimes == {f"python{SETTINGS['PYTHON_VERSION']}"}

    def test_they_are_built_for_the_processor_of_the_functions(self, template: Template) -> None:
        functions, layers = template.functions(), template.of_type("AWS::Lambda::LayerVersion")
        processors = [function["Architectures"] for function in functions.values()]
        processors += [
            each["CompatibleArchitectures"] for name, each in layers.items() if "NoAdapter" not in name
        ]
        assert processors == [[{"Ref": "Architecture"}]] * (len(functions) + 4)
        assert template.source["Parameters"]["Architecture"]["Default"] == SETTINGS["ARCHITECTURE"]

    def test_the_web_adapter_is_for_the_processor_of_the_functions(self, template: Template) -> None:
        functions = template.source["Resources"]
        (adapter,) = functions["TextFunction"]["Properties"]["Layers"]
        assert functions["GetStatusFunction"]["Properties"]["Layers"] == [adapter]
        text, names = adapter["Fn::If"][2]["Fn::Sub"]
        assert "LambdaAdapterLayer${Kind}:${WebAdapterVersion}" in text
        assert names["Kind"] == {"Fn::If": ["IsArm", "Arm64", "X86"]}
        assert template.source["Conditions"]["IsArm"] == {"Fn::Equals": [{"Ref": "Architecture"}, "arm64"]}

    def test_every_layer_is_built_by_a_makefile_target_of_its_name(self, template: Template) -> None:
        resources = template.source["Resources"].items()
        layers = {name: each for name, each in resources if each["Type"] == "AWS::Serverless::LayerVersion"}
        # Nothing is in that one: it stands in for a layer that emulators cannot get.
        assert layers.pop("NoAdapterLayer")["Condition"] == "IsLocal"
        assert set(layers) == {"DependenciesLayer", "ExtraLayer", "SharedLayer", "MediaLayer"}
        for name, layer in layers.items():
            makefile = ROOT / layer["Properties"]["ContentUri"] / "Makefile"
            assert layer["Metadata"] == {"BuildMethod": "makefile"}
            assert f"\nbuild-{name}:\n" in makefile.read_text()

    @pytest.mark.parametrize(
        ("variable", "folder", "program"),
        [
            ("CLIENTS", clients.FOLDER, "$(ROOT)/clients/build.py"),
            ("PREVIEWS", preview_store.FOLDER, "-m local.deploy.previews"),
        ],
        ids=["clients", "previews"],
    )
    def test_served_files_are_built_to_where_they_are_read(
        self, variable: str, folder: Path, program: str
    ) -> None:
        makefile = (ROOT / "shared/Makefile").read_text()
        read_from = folder.relative_to(ROOT / "shared")
        assert f"\n{variable} = $(ARTIFACTS_DIR)/python/{read_from}\n" in makefile
        assert f"python {program} $({variable})\n" in makefile

    def test_every_function_has_both_layers_and_the_one_copy_of_the_code(self, template: Template) -> None:
        shared = template.source["Globals"]["Function"]
        assert shared["CodeUri"] == "functions/"
        resources = template.source["Resources"]
        built = {name: resources[name].get("Metadata") for name in template.functions()}
        assert all(metadata == {"BuildMethod": "makefile"} for metadata in built.values())
        assert "\nbuild-%Function:\n" in (ROOT / "functions/Makefile").read_text()
        assert shared["Layers"] == [{"Ref": "DependenciesLayer"}, {"Ref": "SharedLayer"}]

    def test_packages_of_single_functions_are_where_they_are_imported(self, template: Template) -> None:
        stems = {
            name: each["Handler"].partition(".")[0].partition("/")[0]
            for name, each in template.functions().items()
        }
        groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
        extra = sorted(re.split(r"[<>=]", package)[0] for package in groups["extra"])
        # A process without the folders of tests in its path, because one of them is named `text` too.
        done = subprocess.run(
            [sys.executable, "-c", IMPORTING, json.dumps([sorted(set(stems.values())), extra])],
            env={"PYTHONPATH": "functions:shared"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        importing = set(json.loads(done.stdout))
        resources = template.source["Resources"].items()
        found = {name for name, each in resources if _has_extra_layer(each)}
        assert found == {name for name, stem in stems.items() if stem in importing}

    def test_ffmpeg_is_loaded_by_who_reads_with_it_alone(self, template: Template) -> None:
        functions = template.source["Resources"].items()
        own = {
            name: each["Properties"]["Layers"]
            for name, each in functions
            if _has_own_layers(each) and not _has_extra_layer(each)
        }
        for adapted in ("GetStatusFunction", "TextFunction"):
            (adapter,) = own.pop(adapted)
            assert adapter["Fn::If"][:2] == ["IsLocal", {"Ref": "NoAdapterLayer"}]
        of_media = [{"Ref": "MediaLayer"}, {"Ref": "SharedLayer"}]
        assert own == {"ProbeMediaFunction": of_media, "DrawThumbnailFunction": of_media}

    @pytest.mark.parametrize("function", ["ProbeMediaFunction", "DrawThumbnailFunction"])
    def test_they_have_their_own_layers_alone(self, template: Template, function: str) -> None:
        layers = template.functions()[function]["Layers"]
        assert [re.sub(r"Layer.*", "", each["Ref"]) for each in layers] == ["Media", "Shared"]

    def test_functions_have_no_requirements_of_their_own(self) -> None:
        # With one, sam would want the runtime's Python to install it
        assert not list((ROOT / "functions").rglob("requirements.txt"))


class TestSamConfig:
    @pytest.mark.parametrize(("environment", "stage"), [("default", "dev"), ("prod", "prod")])
    def test_each_stage_deploys_with_values_that_the_template_allows(
        self, template: Template, environment: str, stage: str
    ) -> None:
        deploy = _config()[environment]["deploy"]["parameters"]
        overrides = dict(override.split("=", 1) for override in deploy["parameter_overrides"])
        assert overrides["Stage"] == stage
        for name, value in overrides.items():
            parameter = template.source["Parameters"][name]
            assert value in [str(each) for each in parameter.get("AllowedValues", [value])]

    def test_a_guided_deployment_asks_for_nothing_that_it_does_not_explain_and_answer(
        self, template: Template
    ) -> None:
        for name, parameter in template.source["Parameters"].items():
            assert {"Default", "Description"} <= parameter.keys(), name

    def test_every_parameter_is_in_the_document(self, template: Template) -> None:
        document = (ROOT / "docs/deploy.md").read_text()
        assert [name for name in template.source["Parameters"] if f"`{name}`" not in document] == []

    def test_prod_takes_a_bad_version_back_and_asks_before_it_changes_anything(self) -> None:
        prod = _config()["prod"]["deploy"]["parameters"]
        assert "CanaryDeployment=true" in prod["parameter_overrides"]
        assert prod["confirm_changeset"] is True

    def test_prod_has_a_firewall(self) -> None:
        overrides = _config()["prod"]["deploy"]["parameters"]["parameter_overrides"]
        assert "RequestsPerAddress=3000" in overrides

    def test_strangers_open_no_account_unless_asked_for(self, template: Template) -> None:
        assert template.source["Parameters"]["SignUp"]["Default"] == "invited"

    @pytest.mark.parametrize("environment", ["default", "prod"])
    def test_each_stage_builds_in_the_source(self, environment: str) -> None:
        assert _config()[environment]["build"]["parameters"]["build_in_source"] is True


def _has_extra_layer(resource: dict[str, Any]) -> bool:
    return bool(resource.get("Properties", {}).get("Layers") == [{"Ref": "ExtraLayer"}])


def _has_own_layers(resource: Any) -> bool:
    return "Layers" in resource.get("Properties", {})


def _config() -> Any:
    return tomllib.loads((ROOT / "samconfig.toml").read_text())
