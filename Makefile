# The interface of this repository. Every target says what it does; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# A crash must not print memory, and a finding of a sanitizer must not hang in the crash printer.
export SWIFT_BACKTRACE := enable=no

SCRIPTS := Packaging/install-build-dependencies Packaging/quick-start Packaging/check-units Packaging/test-systemd \
  Packaging/make-root \
  Packaging/make-deb Packaging/make-documentation Packaging/install-files Packaging/instance-units \
  Packaging/debian/postinst Packaging/debian/prerm \
  Packaging/debian/postrm Tests/Systemd/machine Tests/Systemd/proof Tests/Systemd/package .ci/run \
  Benchmarks/install-packages Benchmarks/run Benchmarks/engine Benchmarks/servers Tests/Fuzz/run

LOAD := .build/bench/load

.PHONY: help run test check check-rest lint units test-systemd test-package strict sanitize fuzz bench packaged deb \
  install clean dependencies test-dependencies

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

dependencies: ## install what the build needs (skips what is there)
	@Packaging/install-build-dependencies

test-dependencies: ## install what the tests can use, too
	@Packaging/install-build-dependencies --tests

run: dependencies ## build, start broker and simulator, fetch a token; stays up until Ctrl-C
	@Packaging/quick-start

test: test-dependencies ## build and run every test
	@echo "==> Building and running the tests"
	@swift build --build-tests
	@swift test --skip-build --disable-xctest
	@echo "==> All tests passed"

check: test check-rest ## test, then lint, the units under a real systemd, warnings as errors and both sanitizers
	@echo "==> All checks passed"

check-rest: lint units test-systemd strict sanitize

lint: ## check the format of the sources and the scripts
	@echo "==> Checking the format"
	@swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks/Engine
	@if command -v shellcheck >/dev/null; then shellcheck --external-sources $(SCRIPTS); \
	  else echo "    scripts not checked: shellcheck (package shellcheck) is not installed"; fi

units: ## check the systemd units, and how tight their sandbox is
	@echo "==> Checking the units"
	@Packaging/check-units

# A debug build answers fewer requests than what is released.
test-systemd: $(LOAD) ## run the units and a package under a real systemd, booted for that (as root)
	@echo "==> Running the units under a real systemd"
	@for product in tokenbrokerd tokenbroker tokenbroker-documentation tokenbroker-simulator; do \
	  swift build --product $$product; done
	@RATE=1000 Packaging/test-systemd
	@echo "==> Running the units under Debian 13's systemd"
	@Packaging/make-root trixie .build/trixie
	@RATE=1000 SYSTEMD_ROOT=.build/trixie Packaging/test-systemd

test-package: packaged $(LOAD) ## the same with the programs as released, at 2,000 requests a second
	@swift build $(PACKAGE) --product tokenbroker-simulator
	@echo "==> Running the programs as released under a real systemd"
	@PROGRAMS=.build/package/release RATE=2000 Packaging/test-systemd

# The load generator of the benchmarks and of the proofs under systemd.
$(LOAD): $(wildcard Benchmarks/Load/*)
	@mkdir -p $(@D)
	@clang -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -o $@ $(filter %.c,$^)

STRICT := --configuration release --scratch-path .build/strict -Xswiftc -enable-testing -Xswiftc -warnings-as-errors

strict: ## build as released with warnings as errors, and run a million random steps of the engine
	@echo "==> Building as released, with warnings as errors"
	@swift build --build-tests $(STRICT)
	@echo "==> Running a million random steps of the engine"
	@SIMULATION_SEEDS=1-400 swift test --skip-build --disable-xctest $(STRICT) --filter SimulationTests

# One test at a time: a sanitizer makes each several times as slow, and its deadlines stay what they are.
sanitize: sanitize-thread sanitize-address ## run the tests under the thread and the address sanitizer

# No search for leaks: the children of exit tests end in the middle, with all they hold.
export ASAN_OPTIONS := detect_leaks=0
export TSAN_OPTIONS := suppressions=$(CURDIR)/Tests/thread-sanitizer.supp

# What runs on one thread by design, and long, has no races to find.
sanitize-thread: SKIPPED := --skip SimulationTests --skip ConfigurationTests.RobustnessTests

# A sanitizer's own memory is terabytes of addresses: a look through all of it has no end.
sanitize-%: export WITHOUT_INTEGRATION_TESTS := 1
sanitize-%:
	@echo "==> Running the tests under the $* sanitizer"
	@swift build --build-tests --sanitize=$* --scratch-path .build/$*
	@swift test --skip-build --disable-xctest --no-parallel --sanitize=$* --scratch-path .build/$* \
	  --skip UpstreamTests.MemoryTests $(SKIPPED)

FUZZ_SECONDS ?= 60

fuzz: dependencies ## feed what reads requests, attestations and assertions random bytes (FUZZ_SECONDS=60 each)
	@Tests/Fuzz/run $(FUZZ_SECONDS)
	@echo "==> The fuzzers found nothing"

# No place to look for libraries but the system's, and all symbols bound at the start, in pages that are then read-only.
PACKAGE := --configuration release --static-swift-stdlib --scratch-path .build/package --disable-local-rpath \
  -Xswiftc -no-toolchain-stdlib-rpath -Xlinker -z -Xlinker now

# What is measured is built as what is shipped.
bench: dependencies $(LOAD) ## measure the apps socket beside nginx and Redis, then the engine (BENCH_QUICK=1: two minutes)
	@Benchmarks/install-packages
	@echo "==> Building the programs and the load generator"
	@for product in tokenbrokerd tokenbroker-simulator tokenbroker-benchmark; do \
	  swift build $(PACKAGE) --product $$product || exit; done
	@Benchmarks/run
	@Benchmarks/engine

packaged: dependencies
	@echo "==> Building the programs"
	@for product in tokenbrokerd tokenbroker tokenbroker-documentation; do \
	  swift build $(PACKAGE) --product $$product || exit; done

deb: packaged ## make tokenbroker.deb, with the Swift runtime inside
	@Packaging/make-deb .build/package/release tokenbroker.deb

PREFIX ?= /usr/local
DESTDIR ?=

install: packaged ## install programs, units, manual pages and completions (PREFIX=/usr/local, DESTDIR=)
	@Packaging/install-files .build/package/release "$(DESTDIR)" "$(PREFIX)"
	@echo "==> Installed below $(DESTDIR)$(PREFIX); docs/install.md says how to start it"

clean: ## remove what was built
	@rm -rf .build
	@echo "==> Removed .build"
