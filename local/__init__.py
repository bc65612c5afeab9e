"""The programs that run on a developer's machine: the whole service, a deployment, upkeep. Never deployed.

machine/        `make run`: the whole service on one machine (docs/local.md)
simulator/      the providers, with their own wire formats
deploy/         builds, publishes, and makes trial stacks
upkeep/         generated text and the diagram; checks of words and secrets
template.py     reads the template; `translation.py`: SAM's translation
processes.py    child processes that end with their parent
"""
