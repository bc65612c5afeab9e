"""The schemas of answers: made of the code's types, in words for customers."""

from collections.abc import Iterator
from typing import Any

from tollgate.catalog.loader import read_yaml
from tollgate.reference import HERE
from tollgate.reference.answers import answer_schemas
from tollgate.tasks.models import TaskStatus, TaskView

SCHEMAS = answer_schemas()


def _below(value: Any) -> Iterator[dict[str, Any]]:
    """Return every schema below a value, itself too."""
    if isinstance(value, dict):
        yield value
        for one in value.values():
            yield from _below(one)
    elif isinstance(value, list):
        for one in value:
            yield from _below(one)


class TestSchemas:
    def test_an_object_requires_what_its_type_requires(self) -> None:
        task = SCHEMAS["Task"]
        assert set(task["required"]) == TaskView.__required_keys__
        assert set(task["properties"]) == TaskView.__required_keys__ | TaskView.__optional_keys__

    def test_the_string_below_a_field_is_its_description(self) -> None:
        assert SCHEMAS["Entry"]["properties"]["reference"] == {
            "type": "string",
            "description": "The id of the payment at Stripe.",
        }

    def test_an_enum_is_that_of_the_code_without_words_for_us(self) -> None:
        assert SCHEMAS["TaskStatus"] == {"type": "string", "enum": list(TaskStatus)}

    def test_what_may_be_null_is_one_schema(self) -> None:
        assert SCHEMAS["Key"]["properties"]["models"]["type"] == ["array", "null"]

    def test_references_lead_to_schemas_and_no_name_is_a_type_s(self) -> None:
        references = {one["$ref"] for one in _below(SCHEMAS) if "$ref" in one}
        assert references <= set(SCHEMAS)
        assert not [name for name in SCHEMAS if name.endswith("View")]
        assert not [one for one in _below(SCHEMAS) if isinstance(one.get("title"), str)]

    def test_none_is_written_by_hand_as_well(self) -> None:
        assert not set(SCHEMAS) & set(read_yaml(HERE / "schemas.yaml"))
