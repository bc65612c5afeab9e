"""The whole service on one machine, and the provider simulator. Never deployed.

In: `make` (`__main__.py`), template.yaml, and the environment. Out: the service on one port. It runs the same
handlers as Lambda (docs/local.md).

service.py      starts all parts in order, and stops them together
emulator.py     the AWS emulator; `stack.py` creates the template's resources in it
template.py     reads the template; `translation.py`: SAM's translation; `translated.py`: writes it as JSON
worker.py       streams, queues and schedules; `pump.py`, `events.py`, `lineage.py`: Lambda's event sources;
                `wake.py` wakes the worker
lambda_api.py   Lambda's Invoke API
server.py       one port for API and files; `api.py` is its process; `missing_pages.py`: the 404 page
processes.py    child processes that end with their parent
files.py        `.local/service.json`; `clients.py`: boto3 for the emulator; `accounts.py`: opens accounts
demo.py         a tour; `sam_local.py`, `relay.py`: the API in containers; `build.py`: their build
throwaway.py    a stack for a trial; `deploy_role.py`: the permissions for a deployment;
                `publish.py`: a build as a link
audit.py        secrets and vulnerabilities
architecture.py generates the diagram; `provider_table.py` and `template_index.py`: other generated text
served.py       the files that the service serves; `previews.py`: the images that previews of links show
simulator/      the providers, with their own wire formats
"""
