# Every verb of the project. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check house requirements evals bench torture screenshots clean force

LEAST_PYTHON := 3.13
VENV := .venv/bin
READY := .venv/.done
# Extra words for a verb: `make test ARGS="tests/harness -x"`.
ARGS ?=
# Extras beside those of the tests: `make setup EXTRAS="--extra mysql"` (which needs MariaDB's headers and a compiler).
EXTRAS ?=

# Compiled once, not by every process a verb starts.
unexport PYTHONDONTWRITEBYTECODE

help: ## list the verbs
	@echo "make <verb>, where <verb> is one of:"
	@sed -n 's/^\([a-z]*\):[^#]*## /  \1@/p' $(MAKEFILE_LIST) | awk -F@ '{ printf "%-14s %s\n", $$1, $$2 }'

setup: $(READY) ## make .venv with everything the other verbs need

# uv takes the interpreter it is given and never fetches one; where uv itself is missing, pip brings it into .uv/.
$(READY): pyproject.toml uv.lock scripts/find-python.sh $(if $(EXTRAS),force)
	@python=$$(sh scripts/find-python.sh $(LEAST_PYTHON)) || exit 1; \
	if uv --version >/dev/null 2>&1; then uv=uv; else \
	  uv=.uv/bin/uv; \
	  if ! $$uv --version >/dev/null 2>&1; then \
	    echo "Bringing uv into .uv/ with pip."; \
	    "$$python" -m venv --clear .uv && .uv/bin/python -m pip install --quiet uv || exit 1; \
	  fi; \
	fi; \
	UV_PYTHON_DOWNLOADS=never $$uv sync --frozen --quiet $(EXTRAS) --python "$$python"
	@touch $@

demo: $(READY) ## ask this repository and the example in the terminal, then serve the example's page (ONCE=1: only ask)
	@$(VENV)/python examples/repository/demo.py
	@ONCE=$(ONCE) $(VENV)/python examples/parts/demo.py $(ARGS)

test: $(READY) ## run the tests, random order, branch coverage at the end (ARGS="...")
	@$(VENV)/python -m pytest --cov $(ARGS)

check: $(READY) house ## lint, format, types, and the house
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/mypy

# That each of them can be broken is shown by the other tests of tests/house, in `make test`.
house: $(READY) ## hold the import contracts and the rules of the house
	@$(VENV)/lint-imports
	@$(VENV)/python -m pytest -q -p no:randomly tests/house/test_rules.py -k the_house_keeps

requirements: $(READY) ## say of each promise whether a test of this run proves it
	@$(VENV)/python -m pytest -q -m requirement --requirements $(ARGS)

evals: $(READY) ## put the example's questions to the planner and print the table
	@$(VENV)/python examples/parts/manage.py dragoman_eval $(ARGS)

bench: $(READY) ## measure every figure the README quotes
	@$(VENV)/python -m bench $(ARGS)

torture: $(READY) ## break it on purpose: kill, starve and cut a running server
	@$(VENV)/python -m tests.torture $(ARGS)

screenshots: $(READY) ## take the pictures of the README
	@if [ -f scripts/screenshots.py ]; then $(VENV)/python scripts/screenshots.py $(ARGS); \
	else echo "make screenshots is not built yet." >&2; exit 1; fi

clean: ## remove what make made
	rm -rf .venv .uv .coverage .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
