"""The whole service on one machine, and the provider simulator. Never deployed.

In: `make` (`__main__.py`), template.yaml, and the environment. Out: the service on one port, made of the
very handlers that Lambda runs (docs/local.md).

service.py      starts everything in order, ends it together
emulator.py     the AWS emulator; `stack.py` makes in it what `template.py` reads and
                `translation.py` translates; `translated.py`: as JSON
worker.py       streams, queues and schedules; `pump.py`, `events.py`: as Lambda does; `wake.py`: at once
lambda_api.py   Lambda's Invoke API
server.py       one port for API and files; `api.py` is its process; `missing_pages.py`: the 404 page
processes.py    child processes that never outlive us
files.py        `.local/service.json`; `clients.py`: boto3 for the emulator
demo.py         a tour; `sam_local.py`, `relay.py`: the API in containers; `build.py`: what they run
throwaway.py    a stack that is tried and deleted; `deploy_role.py`: the rights that a deployment needs
audit.py        secrets and weaknesses; `architecture.py`, `provider_table.py`: pages that are made
simulator/      the providers, on their own wire formats
"""
