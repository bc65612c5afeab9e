"""The whole service on one machine, and the provider simulator. Never deployed."""
