# Thin names for what contributors and CI run; the work is in scripts/ and in cargo.
# `checked` is the profile for everything but measurements: see Cargo.toml.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help setup setup-demo setup-test demo test check conformance hostile bench oracle fuzz soak package-go

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1	\2/p' Makefile | expand -t 16

setup: ## install what this machine lacks (a prerequisite of the others)
	@scripts/setup.sh all

setup-demo:
	@scripts/setup.sh demo

setup-test:
	@scripts/setup.sh test

demo: setup-demo ## ten queries that agents write, judged and run on a PostgreSQL of its own
	@. scripts/env.sh; exec cargo run --profile checked --locked -p haltsql-cli -- demo

test: setup-test ## every check: formatting, lints, all tests
	@scripts/test.sh

check: setup-test ## formatting and lints alone
	@. scripts/env.sh; cargo fmt --all --check
	@. scripts/env.sh; cargo clippy --workspace --exclude haltsql-weakened --all-targets --profile checked --locked -- -D warnings

conformance: setup-test ## one corpus through every language, byte for byte: NAMES= says which
	@scripts/conformance/run $(NAMES)

hostile: setup-test ## statements that try to leave their tenant, against every seal, through every guard: NAMES= says which
	@scripts/hostile.sh $(NAMES)

bench: setup-demo ## what a verdict costs, against the parser alone, and what other languages add: NAMES= says which
	@scripts/bench.sh $(NAMES)

QUERIES ?= 1000000
SEED ?= 1
oracle: setup-test ## random queries (ORACLE=--writes: writes) against twin databases, QUERIES= many, by SEED=; goes on where it stopped
	@. scripts/env.sh; exec cargo run --profile checked --locked -p haltsql-noninterference -- --queries $(QUERIES) --seed $(SEED) --state .build/oracle-$(SEED).json --findings .build/oracle-findings $(ORACLE)

FUZZ_SECONDS ?= 60
TARGETS ?= sql policy context batch
fuzz: setup-demo ## arbitrary bytes under libFuzzer: FUZZ_SECONDS= for each of TARGETS=
	@scripts/fuzz.sh $(FUZZ_SECONDS) $(TARGETS)

CHECKS ?= 1000000
THREADS ?= 10000
soak: setup-demo ## what stays behind after CHECKS= checks and THREADS= threads; leaks
	@scripts/soak.sh $(CHECKS) $(THREADS)

package-go: setup-demo ## the modules that Go programs get, under .build/go/shipped
	@scripts/bindings/go-setup
	@scripts/bindings/go-pack
