# Everything sets itself up: `make demo` and `make test` are the only commands to know.
BIN := .venv/bin
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# two workers for each core, because tests wait for servers and browsers; idle workers take tests from busy ones; the
# processes that tests start keep their bytecode
WORKERS = $$(($$(getconf _NPROCESSORS_ONLN) * 2))
PYTEST = PYTHONDONTWRITEBYTECODE= $(ONE_THREAD) $(BIN)/pytest -q -n $(WORKERS) --dist worksteal
LINT = "$(BIN)/ruff check ." "$(BIN)/ruff format --check --quiet ." $(BIN)/mypy "$(BIN)/lint-imports --no-cache"
DOCS = "$(BIN)/sphinx-build -W -q -b html docs docs/_build/html"

.NOTPARALLEL:
.PHONY: help demo check test lint campaign bench docs archive lock clean

help:
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile

demo: ## the farmer's whole story: what the graph says, a rehearsal, 60 seasons, the recommendation; and the paper's figure
	@scripts/setup run
	@PATH="$(CURDIR)/$(BIN):$$PATH" examples/demo.sh

test: ## lint, types, layers, documentation and all tests
	@scripts/setup test
	@scripts/together $(LINT) $(DOCS) "$(PYTEST)"

check: ## lint, types, layers and the fast half of the tests, for a contributor's loop
	@scripts/setup test
	@scripts/together $(LINT) "$(PYTEST) -m 'not campaign and not slow'"

lint:
	@scripts/setup test
	@scripts/together $(LINT)

docs: ## the documentation as pages in docs/_build/html
	@scripts/setup test
	@scripts/together $(DOCS)

campaign: ## the large randomised tests (minutes); results are recorded in docs/
	@scripts/setup campaign
	@$(PYTEST) -vv -m campaign  # the name of each test as it ends: it runs for long

bench: ## speed, side by side with the alternatives
	@scripts/setup test
	@$(ONE_THREAD) $(BIN)/python -m benchmarks

archive: ## all learners on all worlds of the suite, for the archive in the package; goes on where it stopped
	@scripts/setup test
	@$(ONE_THREAD) $(BIN)/bestdo suite run all --full -o out/archive --no-report --archive src/bestdo/research/suite/archive

lock: ## resolve the dependencies again
	@scripts/setup test
	@scripts/lock

clean: ## forget the environment and everything generated
	rm -rf .venv out build docs/_build .mypy_cache .ruff_cache .hypothesis
	find src -name "*.so" -delete
