# What all layers and functions are built with. Included by the makefiles that `sam build` calls; needs uv on PATH, no Python.

# Those of the functions (template.yaml, Runtime and the parameter Architecture). An emulator runs the functions in a
# Python and on a processor of its own: PYTHON_VERSION=3.11 or ARCHITECTURE=x86_64 in the environment of `sam build`.
PYTHON_VERSION ?= 3.13
ARCHITECTURE ?= arm64
# PyAV is built for no older one; the runtime (Amazon Linux 2023) has glibc 2.34
PYTHON_PLATFORM := $(ARCHITECTURE:arm64=aarch64)-manylinux_2_28

# The interpreter that compiles the layer; LAYER_PYTHON=<path> names one that is not found. The search takes half a
# second, so its first result becomes the value.
LAYER_PYTHON ?= $(eval LAYER_PYTHON := $(FOUND_PYTHON))$(LAYER_PYTHON)
FOUND_PYTHON = $(shell python$(PYTHON_VERSION) -c 'import sys; print(sys.executable)' 2>/dev/null \
	|| uv python find --no-python-downloads $(PYTHON_VERSION) 2>/dev/null \
	|| ls -d $${PYENV_ROOT:-$$HOME/.pyenv}/versions/$(PYTHON_VERSION)*/bin/python$(PYTHON_VERSION) 2>/dev/null | tail -1)

# Packages as uv.lock has them, into the layer; $(1) says which groups.
define install
	uv export -q --frozen $(1) --no-emit-project --project $(ROOT) -o $(ARTIFACTS_DIR)/requirements.txt
	uv pip install -q --no-deps --require-hashes --only-binary :all: \
		--python-platform $(PYTHON_PLATFORM) --python-version $(PYTHON_VERSION) \
		--target $(ARTIFACTS_DIR)/python -r $(ARTIFACTS_DIR)/requirements.txt
	rm -rf $(ARTIFACTS_DIR)/requirements.txt $(ARTIFACTS_DIR)/python/bin
endef

# $(1) is a folder. On Lambda it is read-only, so what is not compiled here is compiled again in every cold start.
# unchecked-hash: the files never change afterwards, and their times do on the way to Lambda.
define compile
	find $(1) -name __pycache__ -prune -exec rm -rf {} +
	$(if $(LAYER_PYTHON),$(LAYER_PYTHON) -m compileall -q --invalidation-mode unchecked-hash $(1),\
		@echo "No python$(PYTHON_VERSION) found: $(1) is not byte-compiled, cold starts are slower.")
endef
