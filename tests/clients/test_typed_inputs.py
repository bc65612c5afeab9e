"""The typed inputs of both clients are those of the catalog."""

from clients import generate


class TestInputs:
    def test_the_python_inputs_are_those_of_the_catalog(self) -> None:
        old = "`make clients` writes them anew"
        assert generate.PYTHON.read_text() == generate.python(generate.media_models()), old

    def test_the_typescript_inputs_are_those_of_the_catalog(self) -> None:
        old = "`make clients` writes them anew"
        assert generate.TYPESCRIPT.read_text() == generate.typescript(generate.media_models()), old
