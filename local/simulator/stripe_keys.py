"""The address and the keys of the simulated Stripe, without the packages that serve it."""

PREFIX = "/stripe"
SECRET_KEY = "sk_test_simulated"  # noqa: S105 - only for the simulator
WEBHOOK_SECRET = "whsec_simulated"  # noqa: S105 - only for the simulator
