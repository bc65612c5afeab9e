"""Where parts are joined: one module a function, and what several share."""
