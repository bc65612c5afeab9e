"""The generated files of both clients are up to date."""

from clients import generate

OLD = "`make clients` writes it again"


class TestGenerated:
    def test_the_python_inputs_are_those_of_the_catalog(self) -> None:
        assert generate.PYTHON.read_text() == generate.python(generate.media_models()), OLD

    def test_the_typescript_inputs_are_those_of_the_catalog(self) -> None:
        assert generate.TYPESCRIPT.read_text() == generate.typescript(generate.media_models()), OLD

    def test_the_client_for_threads_is_the_one_for_asyncio_without_asyncio(self) -> None:
        for source, target in generate.FOR_THREADS.items():
            assert target.read_text() == generate.for_threads(source), OLD

    def test_bills_are_verified_as_the_service_does(self) -> None:
        assert generate.VERIFICATION.read_text() == generate.SERVICE_VERIFICATION.read_text(), OLD
