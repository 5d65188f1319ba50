# PushMTA. On Debian 12 with the Swift toolchain, two commands are enough: make demo and make test.
# The first builds unoptimised programs in a separate folder; the second builds the optimised programs and the tests.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.PHONY: help demo test build programs format lint reference bench bench-guard load-report compare chaos fuzz packages \
	test-packages browser browser-packages bench-console

# Needed only for tests: a PostgreSQL server for stores on PostgreSQL, the programs that read manual pages, completions
# and the systemd unit, a terminal multiplexer to test `pushmta top`, other HTTP servers, valgrind to count
# instructions, and a browser with its driver to test the console.
TEST_PACKAGES := postgresql mandoc zsh fish systemd prometheus tmux nginx nghttp2-server openssl python3 python3-venv \
	valgrind chromium chromium-driver
# The -dev packages are linked. SwiftPM needs git and ca-certificates to fetch the dependencies, and tests run curl.
PACKAGES := libcurl4-openssl-dev libssl-dev libnghttp2-dev libsqlite3-dev git ca-certificates curl
SWIFT_VERSION := 6.2

CONFIGURATION := -c release
PROGRAMS := .build/release
# The demo's programs are not optimised, which takes three quarters of the time of a build.
QUICK := .build/quick
# Each group runs in a separate process, and all groups run in parallel, because tests mostly wait and a process has
# only as many threads as the machine has cores.
TEST_GROUPS := EndToEndTests PushStoreTests PushMasterTests PushConnectorsTests PushMTATests others
# The number of tests that run in parallel in each group. A test that waits for a process gives its thread to other
# tests.
TESTS_AT_ONCE := 6
MEMORY := /dev/shm
MEMORY_KILOBYTES := 4000000
TESTS := $(PROGRAMS)/PushMTAPackageTests.xctest --testing-library swift-testing \
	--experimental-maximum-parallelization-width $(TESTS_AT_ONCE)

# The browser tests. PyPI's packages for them are in a virtual environment.
BROWSER := Tests/Browser/run.sh $(PROGRAMS)
# The size of the instance whose pages make bench-console measures, and the pages that are open during a delivery.
CONSOLE := --apps 1000 --deliveries 100000 --subscribers 10000000
OPEN_PAGES := 20

# The commit that `pushmta --version` prints, with a plus sign if files were changed. Empty in a source archive.
COMMIT := $(shell (test -e .git && git describe --always --abbrev=8 --dirty=+ --exclude='*') 2>/dev/null)
export PUSHMTA_COMMIT := $(COMMIT)

# Options of the measurements, e.g. make bench BENCH="--messages 100000 --children 2"
BENCH := --messages 1000000 --children 1 --streams 1000
# Options of the comparison. Without --peers, only h2load is compared, e.g.
# make compare COMPARE="--messages 10000000 --platform android"
COMPARE := --messages 500000 --runs 5 --peers .build/peers
# make bench-guard GUARD=--write writes new thresholds.
GUARD :=
# The rates of deliveries, and the time to pause ten million messages. Needs 3 GB of disk and several minutes.
RATES := --rates 50,2000,50000 --seconds 30 --paused 10000000
# Hosts on one PostgreSQL database, each limited to a rate that does not saturate the machine.
SCALE := --hosts 1,2,4,8 --rate 1000 --seconds 40 --full 1000000
# All kinds of faults at the same time.
CHAOS := --devices 20000 --kills 50
# Three hosts on one database. Takes half an hour.
HOSTS := --seeds 20 --at-once 4
# Deliveries that are paused, resumed, stopped and repeated at random.
CONTROLLED := --runs 5 --steps 40
# Apps that switch to another connector during a delivery.
SWITCHES := --devices 1000000
# The time until a new master replaces a killed master.
RECOVER := --messages 1000000
# The rate of an account next to one whose gateway is silent.
NEIGHBOURS := --messages 100000
# Faulty gateways that do not lose messages.
STALLS := --phases 12 --hold-seconds 75
# A week's deliveries within minutes, which must not let the store or memory grow.
WEEK := --deliveries 2000 --devices 5000
# Devices that register, receive and report, without kills of the service and with FLEET_KILLS kills.
FLEET := --devices 100000
FLEET_KILLS := 12
# The number of mutated requests; make test sends 100 000.
FUZZ := 10000000
# The number of steps in each of the four random tests in PartStoryTests; make test runs 10 000.
STORY := 250000
# The number of accounts that are simulated to test the storm rule; make test simulates 20 000.
STORM := 1000000
# The number of random sequences of pausing, stopping and repeating deliveries (ControlStoryTests); make test runs 20.
CONTROL := 1000

help:
	@cat <<'TEXT'
	make demo         build without optimisation, start a synthetic gateway and the engine, and send to 10 000 subscribers
	make test         run all tests, including those with real processes
	make format       format the Swift sources
	make lint         check formatting (.swift-format) and wording (Lint/prose.py); part of make test
	make build        build programs and tests in .build/release
	make reference    write Docs/Reference from the programs' own descriptions; make test compares the pages
	make install      install without a package; PREFIX=/usr/local, DESTDIR=; make uninstall removes the files
	make deb          build a Debian package in .build-release/packages, with Swift's runtime linked statically
	make test-deb     install the package in a fresh Debian, upgrade it during a delivery, and remove it (as root)
	make release      run make test-deb and write the package's checksum
	make bench        measure import and sending (BENCH), rates and pauses (RATES), and hosts on one database (SCALE)
	make bench-guard  compare instructions per message with Benchmarks/thresholds.json; GUARD=--write writes new ones
	make browser      test the console in a browser in all sizes, and attack it; needs chromium, python3-venv, PyPI
	make bench-console  measure the console in a full instance, and sending while its pages are open
	make compare      compare CPU and rate with h2load and other clients; needs nghttp2-client, python3-venv, PyPI
	make load-report  run the scenarios of Docs/Scenarios and write a report to .build/load-report
	make chaos        inject random faults and account for every message; takes an hour or more
	make fuzz         send FUZZ mutated requests; test the API against its description; needs python3-venv, PyPI
	TEXT

demo: packages
	@swift build $(CONFIGURATION) -Xswiftc -Onone --scratch-path $(QUICK)
	$(QUICK)/release/pushload demo

# The output of each group is in .build/test-GROUP.log. Failures are repeated at the end.
test: test-packages browser-packages lint build
	@declare -A process
	trap 'kill $$(jobs -p) 2>/dev/null || true' EXIT
	# Files are kept in memory if it is large enough: the tests check what is written, not the disk.
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
	for group in $(TEST_GROUPS) guard browser; do
		# A browser needs the processors for itself, so this group follows the others. Without a browser, it fails in
		# automated runs and is skipped otherwise.
		if [[ $$group == browser ]]; then
			$(BROWSER) --short >.build/test-browser.log 2>&1 &
			process[browser]=$$!
		fi
		if wait $${process[$$group]}; then
			tail --lines=1 .build/test-$$group.log
		else
			failed+=("$$group")
		fi
	done
	for group in $${failed[@]+"$${failed[@]}"}; do
		echo "$$group failed, see .build/test-$$group.log"
		grep --text --after-context=3 ' recorded an issue ' .build/test-$$group.log | head --lines=60 || true
		tail --lines=$$([[ $$group == guard || $$group == browser ]] && echo 30 || echo 3) .build/test-$$group.log
	done
	if (( $${#failed[@]} )); then exit 1; fi
	if [[ $${TMPDIR:-} == $(MEMORY)/pushmta-tests.* ]]; then
		# The processes that end the tests' servers and empty their folders may still be running.
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

# All stories in all sizes, light and dark, and all attacks. Images of the screens are in .build/browser/shots.
browser: programs browser-packages
	@$(BROWSER)

bench-console: programs browser-packages
	@measure=(.build/browser/bin/python -B Tests/Browser/measure.py $(PROGRAMS))
	"$${measure[@]}" $(CONSOLE)
	"$${measure[@]}" --live $(OPEN_PAGES)

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
	# Files are kept in memory, because transactions take most of the time.
	TMPDIR=$$(test -w $(MEMORY) && echo $(MEMORY) || echo /tmp) PUSHMTA_CONTROL_SEEDS=$(CONTROL) \
		$(TESTS) --filter ControlStoryTests

# The Python packages of the last two commands are installed once, in .build/schemathesis and .build/clients.
fuzz: programs
	@$(PROGRAMS)/pushload fuzz --requests $(FUZZ)
	$(PROGRAMS)/pushload fuzz --api .build/schemathesis
	$(PROGRAMS)/pushload clients .build/clients

# The format is defined in .swift-format.
format:
	@swift format format --in-place --recursive --parallel Sources Tests Package.swift

lint:
	@python3 -B Lint/prose_test.py 2>&1 | tail --lines=3
	python3 -B Lint/prose.py
	swift format lint --recursive --parallel --strict Sources Tests Package.swift

build: packages
	@swift build $(CONFIGURATION) --build-tests

reference: build
	@PUSHMTA_WRITE_REFERENCE=1 $(TESTS) --filter ReferencePageTests

# One invocation builds all programs. While the last module of one program is compiled, another core compiles the next.
programs: packages
	@swift build $(CONFIGURATION)

# Tests start their own database server. They do not use the server that Debian's package starts.
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
		echo "tests that need $${missing[*]} will be skipped; to run them: sudo $${install[*]}" >&2
		exit 0
	fi
	if ! { "$${as[@]}" apt-get update && "$${as[@]}" DEBIAN_FRONTEND=noninteractive "$${install[@]}"; }; then
		echo "$${missing[*]} could not be installed; tests that need them will be skipped" >&2
	fi

# The Python packages of the browser tests are installed again only if the list has changed.
browser-packages: test-packages
	@list=Tests/Browser/requirements.txt
	place=.build/browser
	if cmp --quiet "$$list" "$$place/requirements.txt"; then exit 0; fi
	if python3 -m venv --clear "$$place" && "$$place/bin/pip" install --quiet --no-deps --requirement "$$list"; then
		cp "$$list" "$$place/requirements.txt"
	else
		echo "the packages in $$list could not be installed in $$place; the browser tests need python3-venv and PyPI" >&2
	fi

# Installs missing packages if permitted; otherwise prints the command that installs them.
packages:
	@command -v swift >/dev/null || {
		echo "swift is not in PATH; install the Swift toolchain, $(SWIFT_VERSION) or newer" >&2
		exit 1
	}
	command -v dpkg-query >/dev/null || {
		echo "not a Debian system; install the equivalents of: $(PACKAGES)" >&2
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
