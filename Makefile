# PushMTA. A Debian 12 machine with the Swift toolchain needs two commands: make demo, make test.
# The first builds the programs and nothing else, the second adds the tests to that build.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.PHONY: help demo test build programs lint reference bench bench-guard load-report compare chaos fuzz packages \
	test-packages

# Only for tests: the store's run on both engines where there is a PostgreSQL server; manual pages, completions and
# the unit are tried out with who reads them, top in a terminal; instructions are counted.
TEST_PACKAGES := postgresql mandoc zsh fish systemd prometheus tmux nginx nghttp2-server python3 valgrind
# Linked: the -dev packages. Run: git and ca-certificates by SwiftPM when it fetches the dependencies, curl by tests.
PACKAGES := libcurl4-openssl-dev libssl-dev libnghttp2-dev libsqlite3-dev git ca-certificates curl
SWIFT_VERSION := 6.2

CONFIGURATION := -c release
PROGRAMS := .build/release
# Tests run in as many processes as there are groups here, side by side: most of a test is waiting, and a process has no
# more threads to wait with than there are cores. In each, so many at once, because a test that waits for a process gives
# its thread to others.
TEST_GROUPS := EndToEndTests PushStoreTests PushMasterTests PushConnectorsTests PushMTATests others
TESTS_AT_ONCE := 6
MEMORY := /dev/shm
MEMORY_KILOBYTES := 4000000
TESTS := $(PROGRAMS)/PushMTAPackageTests.xctest --testing-library swift-testing \
	--experimental-maximum-parallelization-width $(TESTS_AT_ONCE)

# What `pushmta --version` names; with a plus sign where files differ from it, empty in an archive of the source.
COMMIT := $(shell (test -e .git && git describe --always --abbrev=8 --dirty=+ --exclude='*') 2>/dev/null)
export PUSHMTA_COMMIT := $(COMMIT)

# Options for the programs that measure, e.g. make bench BENCH="--messages 100000 --children 2"
BENCH := --messages 1000000 --children 1 --streams 1000
# Options of the comparison, e.g. make compare COMPARE="--messages 10000000 --platform android" for h2load alone
COMPARE := --messages 500000 --runs 5 --peers .build/peers
# make bench-guard GUARD=--write: new thresholds
GUARD :=
# How deliveries keep to their rates, and how soon ten million messages are paused: 3 GB of disk, some minutes.
RATES := --rates 50,2000,50000 --seconds 30 --paused 10000000
# Hosts on one PostgreSQL, each held at a rate that leaves the machine room.
SCALE := --hosts 1,2,4,8 --rate 1000 --seconds 40 --full 1000000
CHAOS := --devices 20000 --kills 50
# Three hosts on one database; half an hour.
HOSTS := --seeds 20 --at-once 4
CONTROLLED := --runs 5 --steps 40
SWITCHES := --devices 1000000
RECOVER := --messages 1000000
NEIGHBOURS := --messages 100000
STALLS := --phases 12 --hold-seconds 75
WEEK := --deliveries 2000 --devices 5000
FLEET := --devices 100000
FLEET_KILLS := 12
# Mutated requests; make test sends 100 000.
FUZZ := 10000000
# Steps of each of the four random stories of a part; make test tells 10 000.
STORY := 250000
# Simulated accounts by which storms are judged; make test simulates 20 000.
STORM := 1000000
# Random stories of deliveries under control; make test tells 20.
CONTROL := 1000

help:
	@cat <<'TEXT'
	make demo    start a synthetic gateway and the engine, send one delivery to 10 000 subscribers
	make test    all tests, those with real processes included
	make lint    check formatting against .swift-format, and wording with Lint/prose.py; part of make test
	make build   programs and tests in .build/release
	make reference  write Docs/Reference from what the programs say of themselves; make test compares it
	make deb     a Debian package in .build-release/packages, of programs that bring Swift's runtime along
	make install, make uninstall   the same without a package; PREFIX=/usr/local, DESTDIR=
	make release the package and its checksum, after make test-deb has installed, upgraded in mid-delivery and
	             removed it in a fresh Debian (as root)
	make bench   measure import and sending at a million, options in BENCH; then how deliveries keep to their rates and how
	             soon a large one is paused, RATES; then how the rate grows with the hosts on one PostgreSQL, SCALE
	make bench-guard  whether a stage of the engine needs more instructions a message than Benchmarks/thresholds.json
	             says, by valgrind; make test does it with fewer messages; GUARD=--write writes thresholds
	make compare the engine beside h2load and other clients, by turns: CPU per message and rate (needs nghttp2-client,
	             python3-venv and PyPI)
	make load-report  run the scenarios of Docs/Scenarios and write a page of them (Docs/Inside/LoadReports.md) to .build/load-report
	make chaos   let everything go wrong at once, by a seed, and account for every message; then let gateways harm by
	             doing nothing, and measure how soon a killed master is replaced, and an account beside a silent one;
	             and whether a week's deliveries leave store and memory as large as they were; and let 100 000 devices
	             register, receive, report and click, with and without FLEET_KILLS kills of the service;
	             and pause, stop and repeat deliveries at random; and kill, freeze and cut off hosts that share a database;
	             options in CHAOS, HOSTS, CONTROLLED, STALLS, RECOVER, NEIGHBOURS, WEEK, FLEET; the first, the week and the fleet on both
	             engines of the store, and all scenarios of make test on PostgreSQL; last, a million steps of random
	             stories of a part, STORY; a million simulated accounts that are judged, STORM; and CONTROL stories of
	             deliveries that are paused, stopped and sent again
	make fuzz    send FUZZ mutated requests to the service, beside honest ones, and see that it stays as it is; then have
	             schemathesis, from PyPI, ask all that the API's description says, and clients that generators from
	             PyPI make of it call all of it (needs python3-venv)
	TEXT

demo: programs
	@$(PROGRAMS)/pushload demo

# What each group said is in .build/test-GROUP.log; what failed is said again at the end.
test: test-packages lint build
	@declare -A process
	trap 'kill $$(jobs -p) 2>/dev/null || true' EXIT
	# Files in memory where there is room: what is tested is what is written, not the disk.
	if (( $$(df --output=avail $(MEMORY) 2>/dev/null | tail --lines=1 || echo 0) > $(MEMORY_KILOBYTES) )) \
		&& ! findmnt --noheadings --output OPTIONS $(MEMORY) | grep --quiet noexec; then
		export TMPDIR=$$(mktemp --directory $(MEMORY)/pushmta-tests.XXXXXX)
		chmod 711 "$$TMPDIR"
	fi
	for group in $(TEST_GROUPS); do
		chosen=(--filter "$$group")
		[[ $$group != others ]] || chosen=($(patsubst %,--skip %,$(filter-out others,$(TEST_GROUPS))))
		$(TESTS) "$${chosen[@]}" >.build/test-$$group.log 2>&1 &
		process[$$group]=$$!
	done
	{ python3 -B Benchmarks/guard_test.py && Benchmarks/guard.py $(PROGRAMS) --short --at-once 1; } \
		>.build/test-guard.log 2>&1 &
	process[guard]=$$!
	failed=()
	for group in $(TEST_GROUPS) guard; do
		if wait $${process[$$group]}; then
			tail --lines=1 .build/test-$$group.log
		else
			failed+=("$$group")
		fi
	done
	for group in $${failed[@]+"$${failed[@]}"}; do
		echo "$$group failed, see .build/test-$$group.log"
		grep --text --after-context=3 ' recorded an issue ' .build/test-$$group.log | head --lines=60 || true
		tail --lines=$$([[ $$group == guard ]] && echo 30 || echo 3) .build/test-$$group.log
	done
	if (( $${#failed[@]} )); then exit 1; fi
	if [[ $${TMPDIR:-} == $(MEMORY)/pushmta-tests.* ]]; then
		# What ends the tests' servers and empties their folders may be at work still, and ends whoever is there.
		for _ in {1..100}; do rmdir "$$TMPDIR" 2>/dev/null && exit 0; sleep 0.1; done
		rm --recursive --force "$$TMPDIR"
	fi

bench: programs
	@$(PROGRAMS)/pushload bench $(BENCH)
	$(PROGRAMS)/pushload rates $(RATES)
	$(PROGRAMS)/pushload scale $(SCALE)

compare: programs
	@Benchmarks/compare.py $(PROGRAMS) $(COMPARE)

load-report: programs test-packages
	@$(PROGRAMS)/pushload report Docs/Scenarios/*.json --output .build/load-report

bench-guard: test-packages
	@swift build $(CONFIGURATION) --product pushstage
	Benchmarks/guard.py $(PROGRAMS) $(GUARD)

chaos: build test-packages
	@$(PROGRAMS)/pushload chaos $(CHAOS)
	$(PROGRAMS)/pushload chaos $(CHAOS) --store postgresql
	$(PROGRAMS)/pushload hosts $(HOSTS)
	PUSHMTA_STORE=postgresql $(TESTS) --filter EndToEndTests
	$(PROGRAMS)/pushload control $(CONTROLLED)
	for store in sqlite postgresql; do $(PROGRAMS)/pushload switches $(SWITCHES) --store $$store; done
	$(PROGRAMS)/pushload stalls $(STALLS)
	$(PROGRAMS)/pushload recover $(RECOVER)
	$(PROGRAMS)/pushload neighbours $(NEIGHBOURS)
	$(PROGRAMS)/pushload week $(WEEK)
	$(PROGRAMS)/pushload week $(WEEK) --store postgresql
	for store in sqlite postgresql; do
		for kills in 0 $(FLEET_KILLS); do $(PROGRAMS)/pushload fleet $(FLEET) --kills $$kills --store $$store; done
	done
	PUSHMTA_STORY_STEPS=$(STORY) $(TESTS) --filter PartStoryTests
	PUSHMTA_STORM_ACCOUNTS=$(STORM) $(TESTS) --filter StormModelTests
	# Files in memory: it is transactions that take the time.
	TMPDIR=$$(test -w $(MEMORY) && echo $(MEMORY) || echo /tmp) PUSHMTA_CONTROL_SEEDS=$(CONTROL) \
		$(TESTS) --filter ControlStoryTests

# Python's packages for the last two are installed in .build/schemathesis and .build/clients, once.
fuzz: programs
	@$(PROGRAMS)/pushload fuzz --requests $(FUZZ)
	$(PROGRAMS)/pushload fuzz --api .build/schemathesis
	$(PROGRAMS)/pushload clients .build/clients

# How the source is written, .swift-format says; `swift format format --in-place --recursive Sources Tests` writes it so.
lint:
	@python3 -B Lint/prose_test.py 2>&1 | tail --lines=3
	python3 -B Lint/prose.py
	swift format lint --recursive --parallel --strict Sources Tests Package.swift

build: packages
	@swift build $(CONFIGURATION) --build-tests

reference: build
	@PUSHMTA_WRITE_REFERENCE=1 $(TESTS) --filter ReferencePageTests

programs: packages
	@for program in pushmta pushsink pushload; do swift build $(CONFIGURATION) --product $$program; done

# A server that Debian's package starts is not used: tests make their own.
test-packages:
	@command -v dpkg-query >/dev/null || exit 0
	missing=()
	for package in $(TEST_PACKAGES); do
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
		echo "tests that need $${missing[*]} will not run; for them: sudo $${install[*]}" >&2
		exit 0
	fi
	if ! { "$${as[@]}" apt-get update && "$${as[@]}" DEBIAN_FRONTEND=noninteractive "$${install[@]}"; }; then
		echo "$${missing[*]} could not be installed: tests that need them will not run" >&2
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

include Packaging/package.mk
