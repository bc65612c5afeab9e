"""`make scale`: every ceiling, what hits it first as load grows, and what raises it, into docs/scale.md."""
