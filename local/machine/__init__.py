"""`make run`: the whole service on one machine.

In: `make` (`local/__main__.py`), template.yaml, and the environment. Out: the service on one port. It runs
the same handlers as Lambda (docs/local.md).

service.py      starts all parts in order, and stops them together
emulator.py     the AWS emulator (`ministack.py`); `stack.py` creates the template's resources in it
worker.py       streams, queues and schedules; `pump.py`, `events.py`, `lineage.py`: Lambda's event sources
lambda_api.py   Lambda's Invoke API
server.py       one port for API and files; `api.py` is its process; `missing_pages.py`: the 404 page;
                `preflight.py`, `door.py`, `patience.py`: browsers, other people's pages, silent clients
files.py        `.local/service.json`; `clients.py`: boto3 for the emulator; `accounts.py`: opens accounts
served.py       the files that the service serves; `kept.py`: the data of the last run
demo.py         a tour; `sam_local.py`, `relay.py`: the API in containers
"""
