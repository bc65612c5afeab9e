"""`python -m local.simulator --port 9000`: serves the simulator until it is interrupted."""

from tollgate.composition import framework  # isort: skip  # noqa: F401 - before FastAPI
import argparse
from contextlib import suppress

from local.simulator import text
from local.simulator.app import PROVIDERS, create_app
from local.simulator.server import make_server


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m local.simulator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument(
        "--job-seconds", type=float, help="how long every job takes (default: 1 to 2 s by kind)"
    )
    parser.add_argument("--payments-webhook", help="address for the simulated Stripe's events")
    arguments = parser.parse_args()
    app = create_app(job_seconds=arguments.job_seconds, payments_webhook=arguments.payments_webhook)
    names = ",".join(PROVIDERS | text.PROVIDERS)
    print(f"simulator: http://{arguments.host}:{arguments.port}/{{{names}}}", flush=True)
    with suppress(KeyboardInterrupt):  # how it is stopped by hand
        make_server(app, arguments.host, arguments.port).run()


if __name__ == "__main__":
    main()
