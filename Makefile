# PushMTA. A Debian 12 machine with the Swift toolchain needs two commands: make demo, make test.
# The first builds the programs and nothing else, the second adds the tests to that build.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.PHONY: help demo test build programs bench chaos packages test-packages

# Only for tests: the store's run on both engines where there is a PostgreSQL server.
TEST_PACKAGES := postgresql
# Linked: the -dev packages. Run: git and ca-certificates by SwiftPM when it fetches the dependencies, curl by tests.
PACKAGES := libcurl4-openssl-dev libssl-dev libnghttp2-dev libsqlite3-dev git ca-certificates curl
SWIFT_VERSION := 6.2

CONFIGURATION := -c release
PROGRAMS := .build/release
SWIFT_TEST = swift test $(CONFIGURATION) --skip-build --disable-xctest
TEST_LOG := .build/test.log
# How many tests run at once. More make nothing faster, and each one's waits longer: a test that waits for a process gives
# its thread to others, of which there are only as many as cores.
UNIT_TESTS_AT_ONCE := 6

# Options for the programs that measure, e.g. make bench BENCH="--messages 100000 --children 2"
BENCH := --messages 1000000 --children 1 --streams 1000
CHAOS := --devices 20000 --kills 50
RECOVER := --messages 1000000
NEIGHBOURS := --messages 100000
STALLS := --phases 12 --hold-seconds 75
# Steps of each of the four random stories of a part; make test tells 10 000.
STORY := 250000

help:
	@cat <<'TEXT'
	make demo    start a synthetic gateway and the engine, send one delivery to 10 000 subscribers
	make test    all tests, those with real processes included
	make build   programs and tests in .build/release
	make bench   measure import and sending at a million; options in BENCH
	make chaos   let everything go wrong at once, by a seed, and account for every message; then let gateways harm by
	             doing nothing, and measure how soon a killed master is replaced, and an account beside a silent one;
	             options in CHAOS, STALLS, RECOVER, NEIGHBOURS; the first on both engines of the store, and all scenarios
	             of make test on PostgreSQL; last, a million steps of random stories of a part, STORY
	TEXT

demo: programs
	@$(PROGRAMS)/pushload demo

# Tests that drive whole engines run after the others, in groups side by side. What failed is said again at the end.
test: build test-packages
	@status=0
	$(SWIFT_TEST) --skip EndToEndTests --experimental-maximum-parallelization-width $(UNIT_TESTS_AT_ONCE) 2>&1 \
		| tee $(TEST_LOG) || status=1
	$(SWIFT_TEST) --filter EndToEndTests 2>&1 | tee -a $(TEST_LOG) || status=1
	if (( status )); then
		echo "what failed:"
		grep --after-context=3 ' recorded an issue ' $(TEST_LOG) || true
		grep '^✘ Test ' $(TEST_LOG) | grep --invert-match ' recorded an issue ' || true
	fi
	exit $$status

bench: programs
	@$(PROGRAMS)/pushload bench $(BENCH)

chaos: build test-packages
	@$(PROGRAMS)/pushload chaos $(CHAOS)
	$(PROGRAMS)/pushload chaos $(CHAOS) --store postgresql
	PUSHMTA_STORE=postgresql $(SWIFT_TEST) --filter EndToEndTests
	$(PROGRAMS)/pushload stalls $(STALLS)
	$(PROGRAMS)/pushload recover $(RECOVER)
	$(PROGRAMS)/pushload neighbours $(NEIGHBOURS)
	PUSHMTA_STORY_STEPS=$(STORY) $(SWIFT_TEST) --filter PartStoryTests

build: packages
	@swift build $(CONFIGURATION) --build-tests

programs: packages
	@for program in pushmta pushsink pushload; do swift build $(CONFIGURATION) --product $$program; done

# A server that Debian's package starts is not used: tests make their own.
test-packages:
	@command -v dpkg-query >/dev/null || exit 0
	if dpkg-query -W -f '$${db:Status-Status}' $(TEST_PACKAGES) 2>/dev/null | grep -q '^installed$$'; then exit 0; fi
	install=(apt-get install --yes --no-install-recommends $(TEST_PACKAGES))
	if (( EUID == 0 )); then
		as=(env)
	elif sudo -n true 2>/dev/null; then
		as=(sudo -n env)
	else
		echo "tests on PostgreSQL will not run; for them: sudo $${install[*]}" >&2
		exit 0
	fi
	if ! { "$${as[@]}" apt-get update && "$${as[@]}" DEBIAN_FRONTEND=noninteractive "$${install[@]}"; }; then
		echo "$(TEST_PACKAGES) could not be installed: tests on PostgreSQL will not run" >&2
	fi

# Installs what is missing where that is allowed, else says how.
packages:
	@command -v swift >/dev/null || {
		echo "swift is not in PATH: install the Swift toolchain, $(SWIFT_VERSION) or newer" >&2
		exit 1
	}
	command -v dpkg-query >/dev/null || {
		echo "not a Debian system; needed are the equivalents of: $(PACKAGES)" >&2
		exit 0
	}
	missing=()
	for package in $(PACKAGES); do
		status=$$(dpkg-query -W -f '$${db:Status-Status}' "$$package" 2>/dev/null || true)
		[[ $$status == installed ]] || missing+=("$$package")
	done
	(( $${#missing[@]} )) || exit 0
	install=(apt-get install --yes --no-install-recommends "$${missing[@]}")
	if (( EUID == 0 )); then
		as=(env)
	elif sudo -n true 2>/dev/null; then
		as=(sudo -n env)
	else
		echo "packages are missing; run: sudo apt-get update && sudo $${install[*]}" >&2
		exit 1
	fi
	"$${as[@]}" apt-get update
	"$${as[@]}" DEBIAN_FRONTEND=noninteractive "$${install[@]}"
