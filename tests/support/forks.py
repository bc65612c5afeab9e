"""Processes that are forked from one that has imported what they need. To import it takes long.

multiprocessing has one such server in each process, so the list is the same for all.
"""

from multiprocessing import get_context

FORKS = get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        # The programs of the docs
        *("anthropic", "langchain_anthropic", "langchain_openai", "openai", "tests.support.doc_interpreter"),
        # The parts of a service that are killed and started often
        *("tests.support.shifted", "local.machine.server", "local.machine.worker"),
    ]
)
