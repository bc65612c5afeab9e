"""The local Lambda API, served on loopback."""

from contextlib import AbstractContextManager

from local.machine.lambda_api import create_lambda_api
from local.template import Template
from tests.support import serving


def running_lambda_api(template: Template) -> AbstractContextManager[str]:
    """Serve the functions of a template on a free port; yield the address for `AWS_ENDPOINT_URL_LAMBDA`."""
    return serving.running(serving.server_of(create_lambda_api(template)))
