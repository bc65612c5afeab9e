"""Programs around a deployment.

build.py        runs `sam build`; `compiled_dataclasses.py`, `previews.py`: parts that the build writes
publish.py      a build as a link; `translated.py`: the template as JSON
throwaway.py    a stack for a trial; `deploy_role.py`: the permissions for a deployment
"""
