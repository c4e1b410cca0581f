# Spotter. `make demo` runs a demonstration, `make test` the tests; both install dependencies first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
MYPY := .venv-lint/mypy

# Where the demo's warehouse is: embedded, or lake.
TARGET := embedded

# How large the night of `make chaos` is, how many of its runs are killed, and its workers of Celery.
ATHLETES := 2000
PARTITIONS := 4
KILLS := 8
CELERY := 0

# Other people's Hevy clients to try the simulator with, and a linter, each in an environment of its own.
CLIENTS := schemathesis hevy-api-wrapper hevy2garmin oura-toolkit intervals-kit fastmcp hadolint

# In memory: the tests commit to databases all the time, and a disk is waited for. `make test` needs 1.3 GB there.
SCRATCH = $(shell awk '/^MemAvailable/ {exit $$2 < 12000000}' /proc/meminfo 2>/dev/null && \
	test "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $$4}')" -gt 6000000 2>/dev/null && \
	echo /dev/shm || echo "$${TMPDIR:-/tmp}")

.PHONY: help format demo test test-long test-lake test-lake-s3 bench bench-scale soak chaos evaluate conformance \
	check check-python check-types check-sql check-dbt check-tests dev docs screenshots install lock clean

# A separate environment with its own lock file, for packages that conflict with ours.
define install-apart
@echo "Installing $* into $(@D) ..."
@{ $(PYTHON) -m venv $(@D) && \
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
	--only-binary :all: -r $< && touch $@; } || echo "$* could not be installed: it is left out."
endef

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate --no-emit-index-url --no-strip-extras

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: install ## run one simulated night and show the next workout
	@$(BIN)/spotter demo --target $(TARGET)

dev: install ## open the Dagster UI and the dashboard with the simulated athlete
	@$(BIN)/spotter dev --demo

docs: install .venv-docs/mkdocs/.installed ## build the documentation site into site/
	@$(BIN)/python -m tests.docs.build

screenshots: install ## take the pictures of the documentation
	@$(BIN)/python -m tests.build_screenshots

# A machine may write no bytecode; each process would then rewrite the assertions of all tests.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest

define run-tests
	@scratch=$$(mktemp -d "$(SCRATCH)/spotter-test.XXXXXX") && \
	trap 'rm -rf "$$scratch"' EXIT && trap 'exit 130' INT TERM && \
	TMPDIR="$$scratch" SPOTTER_TEST_PROFILE=$(3) $(PYTEST) -n $(2) --no-loadscope-reorder -m "$(1)"
endef

# `make test ROOM=coach` runs the tests of one folder alone.
ROOM :=

ifeq ($(ROOM),)
test: check ## check everything and run the tests; ROOM=coach: the tests of one folder
	$(call run-tests,not long,4,quick)
else
test: install
	$(call run-tests,not long,2,quick) tests/$(ROOM)
endif

# The same proofs over more nights, kills and random histories; CI runs them after `make test`.
test-long: install ## run clients of others, kills, matrices, many nights, and random tests with many examples
	@$(MAKE) --no-print-directory --jobs 3 --output-sync conformance .venv-docs/mkdocs/.installed
	$(call run-tests,(long or randomized) and not alone,4,thorough)
	$(call run-tests,long and alone,1,thorough)

# The end-to-end tests with every warehouse a lake, on a folder or on an S3 API of this machine.
test-lake test-lake-s3: install
	$(call run-tests,not alone,3,quick) --target $(@:test-%=%) tests/end_to_end
	$(call run-tests,alone,1,quick) --target $(@:test-%=%) tests/end_to_end

bench: install .venv-bench/dlt/.installed ## measure times and memory
	$(BIN)/python -m tests.bench

# Hours; the largest of its warehouses needs 20 GB in the temporary folder.
bench-scale: install
	$(BIN)/python -m tests.bench.scale
	$(BIN)/python -m tests.bench.scale --target lake
	$(BIN)/python -m tests.bench.scale --target lake --workers 2

soak: install ## run the servers for 60 simulated days
	$(BIN)/python -m tests.soak --days 60

# The night of many athletes by runs that are killed, and by one process that is not.
chaos: install ## kill the runs of a night of many athletes
	$(BIN)/python -m tests.chaos --athletes $(ATHLETES) --partitions $(PARTITIONS) --kills $(KILLS) --celery $(CELERY)

evaluate: install ## write the tables of docs/forecasts.md
	$(BIN)/python -m tests.coach.evaluation.write_forecasts

check: install $(MYPY)/.installed ## run ruff, mypy, sqlfluff and dbt build
	@$(MAKE) --no-print-directory --jobs 2 --output-sync check-types check-sql check-dbt check-tests check-python

format: install ## format Python and SQL
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/sqlfluff fix --disable-progress-bar dbt_project

check-python:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# In an environment of its own: mypy and dbt need different versions of one library.
check-types:
	$(MYPY)/bin/mypy --python-executable $(BIN)/python

check-sql:
	$(BIN)/sqlfluff lint --disable-progress-bar dbt_project

# Also compiles the tests, so that the workers of a run need not do so at the same time.
check-tests:
	@$(PYTEST) --collect-only --quiet > $(VENV)/.collected || { cat $(VENV)/.collected; exit 1; }

check-dbt:
	$(BIN)/python -m tests.build_dbt

# The project is parsed here, because a server may not write into it.
install: $(INSTALLED) ## install the locked requirements into .venv
	@$(BIN)/python -c 'from orchestration.dbt.runner import ensure_semantic_manifest as parse; parse()'

# Bytecode is compiled here, by all processors, because the first start would otherwise pay for it,
# and on a machine that writes none every start would.
$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Spotter needs Python 3.11 or newer; say which with PYTHON=..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked requirements into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--only-binary :all: --no-compile -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --editable .
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib hevy_connector health_connector coach_agent orchestration dashboard || true
	@touch $@

conformance: $(CLIENTS:%=.venv-conformance/%/.installed)

# Without one of them its tests are skipped; the rest does not depend on it.
.venv-conformance/%/.installed: tests/conformance/%.lock
	$(install-apart)

.venv-bench/%/.installed: tests/bench/%.lock
	$(install-apart)

.venv-lint/%/.installed: tests/lint/%.lock
	$(install-apart)

.venv-docs/%/.installed: tests/docs/%.lock
	$(install-apart)

lock: ## resolve the requirements again
	$(LOCK) --extra lake --extra metrics --extra search --group dev pyproject.toml --output-file requirements.lock
	for apart in $(CLIENTS:%=conformance/%) bench/dlt docs/mkdocs lint/mypy; do \
		$(LOCK) tests/$$apart.in --output-file tests/$$apart.lock; \
	done

clean: ## remove everything that these commands made
	rm -rf $(VENV) .venv-bench .venv-conformance .venv-docs .venv-lint .environments dbt_project/target dbt_project/logs site .spotter/demo .spotter/dev
