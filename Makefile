# Everything a developer does, by name: `make help`.

PORT ?= 8080
BALANCE_CENTS ?= 10000
CHAOS_TASKS ?= 500
STACK ?= tollgate-try
TASKS ?= 1000
REQUESTS ?= 10000
MODULES ?= ledger budgets billing batches workflows cache keys lanes lifecycle routing
SAMPLE ?= 20
MINUTES ?= 20
MINISTACK_VERSION := 1.5.33
SAM_VERSION := 1.170.0
RIC_VERSION := 4.2.2
LITELLM_VERSION := 1.106.2
CHECKOV_VERSION := 3.3.30
CHECK_JSONSCHEMA_VERSION := 0.39.0
UV_VERSION := 0.13.8

# uv from the PATH where there is one; else a copy of our own, in .local, not in the system.
OWN_UV := .local/uv/bin/uv
UV := $(or $(shell command -v uv 2>/dev/null),$(OWN_UV))
UV_READY := $(filter $(OWN_UV),$(UV))

export PYTHONPATH := functions:shared:.
# Where this is set, each of many processes compiles all that it imports, and again the next time.
unexport PYTHONDONTWRITEBYTECODE
# The programs that run here start makes of their own, which shall not have the options of this one (`.ci/run`).
unexport MAKEFLAGS
# A build downloads nothing but packages; Python itself is the machine's.
export UV_PYTHON_DOWNLOADS := never
# pyenv compiles Python without the profiles that a system's packages are compiled with, and every test takes a fifth more
# CPU then. So the system's Python takes its place, if it is new enough. UV_PYTHON=<path> names another.
ifneq (,$(findstring pyenv,$(shell command -v python3)))
UV_PYTHON ?= $(firstword $(wildcard /usr/bin/python3.1[1-9]))
endif
ifneq (,$(UV_PYTHON))
export UV_PYTHON
endif

# What the layers are built with, and the Python of Lambda where this machine has one.
include layers/python.mk

# Layers are built by makefiles that call uv by name.
export PATH := $(PATH):$(CURDIR)/.local/uv/bin
PYTHON := .venv/bin/python
SAM := AWS_DEFAULT_REGION=us-east-1 SAM_CLI_TELEMETRY=0 .local/sam/bin/sam

.DEFAULT_GOAL := help
# Every target that is described: none of them is a file.
.PHONY: $(shell awk -F: '/^[a-z0-9-]+:.*\#\# / {print $$1}' $(firstword $(MAKEFILE_LIST)))

help:  ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.ready  ## installs the packages, for commands such as `.venv/bin/python -m pytest tests/unit/catalog -q`

run: .venv/.ready .local/ministack/.ready  ## the whole service on this machine, ready to use (PORT=8080; KEEP=1 goes on where the last run ended)
	@exec $(PYTHON) -m local run --port $(PORT) $(if $(KEEP),--keep)

image:  ## a container image of the same, named tollgate (needs Docker; PYTHON_IMAGE=python:3.13-slim)
	@docker build -t tollgate $(if $(PYTHON_IMAGE),--build-arg PYTHON_IMAGE=$(PYTHON_IMAGE)) .

account: .venv/.ready  ## an account on the running service (BALANCE_CENTS=10000); JSON on the last line
	@$(PYTHON) -m local account --balance-cents $(BALANCE_CENTS)

sam-local: .venv/.ready .local/ministack/.ready .local/sam/.ready  ## the same, with the API in Lambda's own runtime (needs Docker)
	@exec $(PYTHON) -m local sam-local --port $(PORT)

lambda-image: $(UV_READY)  ## the image for `make sam-local`, on a machine that cannot pull AWS's (needs root, Docker, debootstrap)
	@local/machine/lambda_image.sh

demo: .venv/.ready  ## one generation of each kind on the running service, with its files
	@$(PYTHON) -m local demo

tollgate: .venv/.ready  ## the operator's command (ARGS="catalog lint"; ARGS=--help)
	@$(PYTHON) -m tollgate $(ARGS)

# How the code and the pages are written: `make check` reads that, and `make test` does not repeat it.
HOUSE_TESTS := $(foreach name,glossary maps pure_modules references sizes translations,tests/unit/test_$(name).py)

# Imports and collects once, and forks a process for each ring (tests/support/rings.py).
RINGS = $(PYTHON) -m pytest -q --capture=sys -p tests.support.rings $(addprefix --ignore=,$(HOUSE_TESTS))

# One core collects the tests of units, and the other one all others.
test: .venv/.ready .local/ministack/.ready  ## all fast tests: the next four at once
	@$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=target test-units test-others

test-others: .venv/.ready .local/ministack/.ready
	@$(RINGS) tests/functional tests/infrastructure tests/contract

test-units: .venv/.ready  ## what needs no AWS
	@$(RINGS) --ring units tests/unit

test-functions: .venv/.ready  ## the functions on moto
	@$(RINGS) --ring functions tests/functional

test-contract: .venv/.ready  ## the template and the contract
	@$(RINGS) --ring contract tests/infrastructure tests/contract

test-services: .venv/.ready .local/ministack/.ready  ## the functions on the emulator
	@$(RINGS) --ring services tests/functional tests/contract

units-1 units-2 functions-1 functions-2 services-1 services-2: .venv/.ready .local/ministack/.ready
	@$(RINGS) --ring $@ $(if $(findstring units,$@),tests/unit,tests/functional tests/contract)

mutants: .venv/.ready .local/ministack/.ready  ## which small changes of the code does no test notice (MODULES="keys routing" SEED=1 SAMPLE=20 MINUTES=20; GUARDS=1 removes each check, CONTROL=1 changes nothing)
	@for group in $(MODULES); do $(PYTHON) -m tests.mutation $$group --seed $(or $(SEED),1) --sample $(SAMPLE) \
		--minutes $(MINUTES) $(if $(GUARDS),--guards) $(if $(CONTROL),--control) || exit 1; done

test-runtime: .local/runtime/.ready .local/ministack/.ready  ## the tests of units and functions on Lambda's Python, if this machine has it (LAYER_PYTHON=)
	@$(if $(LAYER_PYTHON),.local/runtime/bin/python -m pytest -q -n 3 --dist loadgroup tests/unit tests/functional,\
		echo "No python$(PYTHON_VERSION) found; name one by LAYER_PYTHON=<path>")

record-calls: .venv/.ready .local/ministack/.ready  ## what the functions ask of AWS, for the tests of their rights
	@TOLLGATE_RECORD_CALLS=1 $(PYTHON) -m pytest -q -n 3 --dist loadgroup tests/functional

laws: .venv/.ready  ## all laws with five times the examples of `make test`
	@TOLLGATE_ALL_EXAMPLES=1 $(PYTHON) -m pytest -q -n 2 --dist worksteal -m hypothesis tests/unit

journeys: .venv/.ready .local/ministack/.ready  ## whole services: many customers at once, the programs of the docs, kills, restarts, a full disk
	@$(PYTHON) -m pytest -q -n 3 --dist loadgroup -m 'ministack or long' tests/journey  # they wait most of the time

chaos: .venv/.ready .local/ministack/.ready  ## 500 requests, faulty providers, lost answers, workers that are killed (SEED=1 CHAOS_TASKS=500 PHYSICS=1 LOST=0.01)
	@CHAOS_PHYSICS=$(PHYSICS) CHAOS_LOST=$(LOST) CHAOS_TASKS=$(CHAOS_TASKS) CHAOS_SEED=$(SEED) $(PYTHON) -m pytest -q -s tests/journey/test_chaos.py tests/journey/test_chaos_text.py -m long

soak: .venv/.ready .local/ministack/.ready  ## traffic of every kind for half an hour, with lost answers: nothing grows, the books agree (SOAK_MINUTES=30 SOAK_SEED=1 LOST=0.01)
	@SOAK_LOST=$(LOST) SOAK_MINUTES=$(SOAK_MINUTES) SOAK_SEED=$(SOAK_SEED) $(PYTHON) -m tests.bench.soak

e2e: .venv/.ready .local/ministack/.ready .local/sam/.ready  ## deploy into the emulator, use it, deploy again, delete; E2E_STACK=<name>: use a stack that is there
	@$(PYTHON) -m pytest -q -m e2e tests/e2e

aws-check: .venv/.ready .local/ministack/.ready .local/sam/.ready  ## what AWS would refuse: sizes, limits, the guided deployment (Python 3.13 for all of it)
	@$(PYTHON) -m pytest -q -m '' tests/aws tests/infrastructure/test_limits.py

clients-check: .venv/.ready .local/ministack/.ready $(if $(NEWEST),newest-clients)  ## both clients built and tried, the programs of the docs, generators, the AI SDK, claude, codex (npm; NEWEST=1: their newest versions, and what changed)
	@NEWEST=$(NEWEST) $(PYTHON) -m pytest -q -n 2 --dist loadgroup -m clients tests/clients

browser: .venv/.ready .local/ministack/.ready  ## walks through the pages, and a look at each in both themes and at both widths (needs chromium)
	@$(PYTHON) -m pytest -q -m browser tests/browser

client-suites: .venv/.ready .local/ministack/.ready $(if $(NEWEST),newest-suites,.local/suites/.ready)  ## LangChain's standard tests, SDKs and commands of others, against the service (NEWEST=1: their newest versions, and what changed)
	@NEWEST=$(NEWEST) $(PYTHON) -m pytest -q -m suites tests/suites

check: .venv/.ready .local/sam/.ready .local/checkov/.ready .local/check-jsonschema/.ready  ## lint, types, import rules, words, references, maps, template, audit; one part is check-types, all of them are in CHECKS
	@$(MAKE) --no-print-directory --keep-going $(CHECKS)

# Parts of `check`. All run, so that one run shows all faults.
CHECKS := $(addprefix check-,lint format types imports house prose template role workflows checkov audit)
.PHONY: $(CHECKS)
check-lint:
	@$(PYTHON) -m ruff check .
check-format:
	@$(PYTHON) -m ruff format --check .
check-types:
	@$(PYTHON) -m mypy
check-imports:
	@.venv/bin/lint-imports
check-house:
	@$(PYTHON) -m pytest -q $(HOUSE_TESTS)
check-prose:
	@$(PYTHON) -m local.upkeep.prose --check
check-template:
	@AWS_DEFAULT_REGION=us-east-1 .local/sam/bin/cfn-lint
check-role:
	@$(PYTHON) -m local.deploy.deploy_role --check
check-workflows:
	@.local/check-jsonschema/bin/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml
check-checkov:
	@$(PYTHON) -m local.deploy.translated .local/translated.json
	@.local/checkov/bin/checkov --config-file .checkov.yaml -f .local/translated.json
check-audit:
	@$(PYTHON) -m local.upkeep.audit $(UV)

bench-text: .venv/.ready .local/ministack/.ready .local/litellm/.ready  ## the text function beside a bare proxy and LiteLLM: CPU, first byte, open streams
	@$(PYTHON) -m tests.bench.text

bench-bill: .venv/.ready .local/ministack/.ready  ## mixed requests with kills and lost answers: costs in responses = ledger = FOCUS = statement (REQUESTS=10000 BILL_SEED=1)
	@BILL_REQUESTS=$(REQUESTS) BILL_SEED=$(BILL_SEED) $(PYTHON) -m tests.bench.bill

bench-budgets: .venv/.ready .local/ministack/.ready  ## races for an end user's budget, here or at another gateway (BASE_URL= API_KEY= ADAPTER=tollgate|litellm ADMIN_KEY= MODEL=)
	@BASE_URL=$(BASE_URL) API_KEY=$(API_KEY) ADAPTER=$(ADAPTER) ADMIN_KEY=$(ADMIN_KEY) MODEL=$(MODEL) $(PYTHON) -m tests.bench.budgets

bench-coldstart: .venv/.ready .local/ministack/.ready .local/sam/.ready .local/ric/.ready  ## CPU of cold starts on what was built for this machine, into docs/performance.md
	@$(if $(LAYER_PYTHON),$(PYTHON) -m tests.bench.coldstart $(LAYER_PYTHON),\
		echo "No python$(PYTHON_VERSION) found; name one by LAYER_PYTHON=<path>"; exit 1)

clients: .venv/.ready  ## write the typed inputs of both clients from the catalog, and the Python client for threads
	@$(PYTHON) -m clients.generate

architecture: .venv/.ready  ## draw docs/architecture.svg from the template
	@$(PYTHON) -m local.upkeep.architecture

template-index: .venv/.ready  ## write the index of sections and resources at the top of template.yaml
	@$(PYTHON) -m local.upkeep.template_index

pictures: .venv/.ready .local/ministack/.ready  ## a picture of every page at two widths, into docs/pictures (needs chromium)
	@$(PYTHON) -m tests.browser.pictures

prose: .venv/.ready  ## count awkward sentences, and lower the ceilings that `make check` holds (SHOW=README.md lists those of a file)
	@$(PYTHON) -m local.upkeep.prose $(if $(SHOW),--show $(SHOW),--lower)

languages: .venv/.ready  ## gather the texts of the pages into the catalogs of each language, compile these, and print what has no translation
	@$(PYTHON) -m local.upkeep.languages

provider-table: .venv/.ready  ## write the table of docs/providers/README.md from the declarations
	@$(PYTHON) -m local.upkeep.provider_table

provider-truth: .local/truth/.ready  ## our requests beside those of the vendors' own clients, and by whom each provider is checked
	@.local/truth/bin/python -m tests.truth

focus-truth: .venv/.ready .local/focus/.ready  ## focus-validator reads a FOCUS file of ours (needs Python 3.12)
	@$(PYTHON) -m tests.truth.focus .local/focus/bin/focus-validator

audit: .venv/.ready  ## no secrets in files, no packages with known weaknesses (asks the package index)
	@$(PYTHON) -m local.upkeep.audit $(UV)

cost: .venv/.ready .local/ministack/.ready  ## what a million requests of each kind cost on AWS, into docs/cost.md
	@$(PYTHON) -m tests.bench.cost

scale: .venv/.ready  ## every ceiling and what is reached first as load grows, into docs/scale.md
	@$(PYTHON) -m tests.bench.scale

bench-stats: .venv/.ready .local/ministack/.ready  ## 30-day statistics of a million ledger entries: queries, time
	@$(PYTHON) -m tests.bench.stats

bench-ledger: .venv/.ready  ## the proof of an account with a million entries: CPU, pages, and what 10 million take
	@$(PYTHON) -m tests.bench.ledger

bench-drain: .venv/.ready .local/ministack/.ready  ## how fast a full queue drains, and writes a task (TASKS=1000)
	@$(PYTHON) -m tests.bench.drain $(TASKS)

bench-account: .venv/.ready  ## what one account can do, with and without DynamoDB's physics (about a minute)
	@$(PYTHON) -m tests.bench.account

bench-pages: .venv/.ready .local/ministack/.ready  ## first contentful paint and weight of each page, beside a bare static one (needs chromium)
	@$(PYTHON) -m tests.bench.pages

bench-local: .venv/.ready .local/ministack/.ready  ## how soon `make run` is ready, and its CPU without traffic (two minutes)
	@$(PYTHON) -m tests.bench.one_machine

bench-copy: .venv/.ready  ## the memory of a worker that copies a result of 2 GB
	@$(PYTHON) -m tests.bench.copy

format: .venv/.ready  ## format the code, and list the faults that are left
	@$(PYTHON) -m ruff check --fix-only -q .
	@$(PYTHON) -m ruff format .
	@$(PYTHON) -m ruff check -q .

build: .local/sam/.ready  ## what `sam deploy` uploads, into .aws-sam
	@$(SAM) build

publish: .venv/.ready .local/sam/.ready  ## upload the build into a bucket, and print the link that creates a stack of it (BUCKET=<name>)
	@$(PYTHON) -m local.deploy.publish "$(BUCKET)"

deploy-role: .venv/.ready .local/sam/.ready  ## write the rights that a deployment needs into deploy-role.yaml
	@$(PYTHON) -m local.deploy.deploy_role

throwaway: .venv/.ready  ## what was built becomes a stack that loses its data when it is deleted
	@$(PYTHON) -m local.deploy.throwaway

throwaway-deploy: .venv/.ready .local/sam/.ready  ## deploy it into the AWS account of the environment (STACK=tollgate-try)
	@$(PYTHON) -m local.deploy.throwaway deploy $(STACK)

throwaway-delete: .venv/.ready .local/sam/.ready  ## delete it there, with all that is in its buckets (STACK=tollgate-try)
	@$(PYTHON) -m local.deploy.throwaway delete $(STACK)

clean:  ## remove everything that was made here
	@rm -rf .venv .local .aws-sam .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# Set-up. Each step says what it does, and fails with one clear line.

CANNOT_INSTALL = echo "tollgate: cannot install. The end of .local/install.log:"; tail -n 5 .local/install.log; exit 1

# The check of commit messages. Hooks of the developer's own stay, and a copy without git needs none.
INSTALL_HOOKS = git config core.hooksPath >/dev/null 2>&1 || git config core.hooksPath .githooks 2>/dev/null || true

$(OWN_UV):
	@echo "Fetching uv $(UV_VERSION) into .local/uv"
	@mkdir -p .local
	@command -v python3 >/dev/null || { echo "tollgate: python3 (3.11 or later) is missing"; exit 1; }
	@python3 -m venv .local/uv || { echo "tollgate: python3 cannot make environments (install python3-venv)"; exit 1; }
	@.local/uv/bin/pip install -q --disable-pip-version-check uv==$(UV_VERSION) \
		2>.local/install.log || { rm -rf .local/uv; $(CANNOT_INSTALL); }

.venv/.ready: pyproject.toml uv.lock | $(UV_READY)
	@echo "Installing the Python packages into .venv"
	@mkdir -p .local
	@$(UV) sync -q --frozen 2>.local/install.log || { $(CANNOT_INSTALL); }
	@$(INSTALL_HOOKS)
	@touch $@

# Programs with dependencies of their own: $(1) is the folder, $(2) what to install, $(3) more for the environment.
define install
	@echo "Installing $(2) into .local/$(1)"
	@mkdir -p .local
	@$(UV) venv -q --allow-existing $(3) .local/$(1) 2>.local/install.log || { $(CANNOT_INSTALL); }
	@$(UV) pip install -q -p .local/$(1) '$(2)' 2>.local/install.log || { $(CANNOT_INSTALL); }
	@touch $@
endef

# The packages of .venv, for the Python of the functions.
.local/runtime/.ready: pyproject.toml uv.lock | $(UV_READY)
	@mkdir -p .local/runtime
	$(if $(LAYER_PYTHON),@UV_PROJECT_ENVIRONMENT=.local/runtime $(UV) sync -q --frozen -p $(LAYER_PYTHON) \
		2>.local/install.log || { $(CANNOT_INSTALL); })
	@touch $@

# The AWS emulator; `full` is what it needs to translate a SAM template. It runs functions in the Python that it runs in,
# which is production's where this machine has it.
.local/ministack/.ready: | $(UV_READY)
	$(call install,ministack,ministack[full]==$(MINISTACK_VERSION),$(if $(LAYER_PYTHON),-p $(LAYER_PYTHON)))

# What others run in the place of the text function; for its bench alone.
.local/litellm/.ready: | $(UV_READY)
	@echo "Installing litellm==$(LITELLM_VERSION) into .local/litellm"
	@$(UV) venv -q --clear .local/litellm
	@$(UV) pip install -q -p .local/litellm "litellm[proxy]==$(LITELLM_VERSION)"
	@touch $@

# The client of Lambda's runtime, for the Python that the layers are built with.
.local/ric/.ready: | $(UV_READY)
	@$(UV) pip install -q --python $(LAYER_PYTHON) --target .local/ric awslambdaric==$(RIC_VERSION)
	@touch $@

# The vendors' own clients, beside all that tests need; fal's types where there is npm.
# It needs Python 3.12, of which its NumPy has wheels, and a pyarrow that takes this NumPy.
FOCUS_PYTHON ?= $(shell python3.12 -c 'import sys; print(sys.executable)' 2>/dev/null \
	|| ls -d $${PYENV_ROOT:-$$HOME/.pyenv}/versions/3.12*/bin/python3.12 2>/dev/null | tail -1)
.local/focus/.ready: | $(UV_READY)
	@echo "Installing focus-validator into .local/focus"
	@$(UV) venv -q --clear -p $(or $(FOCUS_PYTHON),3.12) .local/focus
	@$(UV) pip install -q -p .local/focus focus-validator==2.2.1 pyarrow==23.0.1 2>.local/install.log || { $(CANNOT_INSTALL); }
	@touch $@

.local/truth/.ready: tests/truth/requirements.txt tests/truth/node/package-lock.json uv.lock | $(UV_READY)
	@echo "Installing the vendors' clients into .local/truth"
	@mkdir -p .local/truth-node
	@UV_PROJECT_ENVIRONMENT=.local/truth $(UV) sync -q --frozen 2>.local/install.log || { $(CANNOT_INSTALL); }
	@$(UV) pip install -q -p .local/truth -r tests/truth/requirements.txt 2>.local/install.log || { $(CANNOT_INSTALL); }
	@cp tests/truth/node/package*.json .local/truth-node/
	@command -v npm >/dev/null && (cd .local/truth-node && npm ci --no-audit --no-fund --ignore-scripts >/dev/null) || true
	@touch $@

.local/sam/.ready: | $(UV_READY)
	$(call install,sam,aws-sam-cli==$(SAM_VERSION))

# Clients of others, at the versions that were run. Not `npm ci`: it refuses a lock without other platforms' binaries.
.local/suites/.ready: tests/suites/requirements.txt $(wildcard tests/suites/node/*) | $(UV_READY)
	@echo "Installing others' clients into .local/suites"
	@mkdir -p .local/suites/node
	@$(UV) venv -q --allow-existing .local/suites/python 2>.local/install.log || { $(CANNOT_INSTALL); }
	@$(UV) pip install -q -p .local/suites/python -r tests/suites/requirements.txt 2>.local/install.log || { $(CANNOT_INSTALL); }
	@cp tests/suites/node/* .local/suites/node/
	@npm install --prefix .local/suites/node --no-audit --no-fund >.local/install.log 2>&1 || { $(CANNOT_INSTALL); }
	@touch $@

# The same clients and those of clients-check, in their newest versions.
NEWEST_FOLDERS = suites clients
.PHONY: $(addprefix newest-,$(NEWEST_FOLDERS))
$(addprefix newest-,$(NEWEST_FOLDERS)): newest-%: .venv/.ready
	@echo "Installing the newest versions into .local/newest/$*"
	@mkdir -p .local/newest/$*
	@$(PYTHON) -m local.upkeep.newest --ask tests/$* .local/newest/$*
	@$(UV) venv -q --allow-existing .local/newest/$*/python 2>.local/install.log || { $(CANNOT_INSTALL); }
	@$(UV) pip install -q -U -p .local/newest/$*/python -r .local/newest/$*/requirements.txt 2>.local/install.log \
		|| { $(CANNOT_INSTALL); }
	@for package in .local/newest/$*/*/package.json; do \
		npm install --prefix $$(dirname $$package) --no-audit --no-fund >.local/install.log 2>&1 || { $(CANNOT_INSTALL); }; done
	@$(PYTHON) -m local.upkeep.newest --report tests/$* .local/newest/$*

# Checkov reads hundreds of paths, and its parser works out its grammar for each one that finds no stored tables.
STORE_GRAMMAR := "from bc_jsonpath_ng import ext; from ply.yacc import yacc; \
	yacc(module=ext.parser.ExtentedJsonPathParser(), start='jsonpath', \
	tabmodule='parser_jsonpath_parsetab', outputdir=ext.__path__[0], debug=False)"
.local/checkov/.ready: | $(UV_READY)
	$(call install,checkov,checkov==$(CHECKOV_VERSION))
	@.local/checkov/bin/python -c $(STORE_GRAMMAR) || { rm $@; exit 1; }

# It brings GitHub's schema of workflows.
.local/check-jsonschema/.ready: | $(UV_READY)
	$(call install,check-jsonschema,check-jsonschema==$(CHECK_JSONSCHEMA_VERSION))
