# make build        builds everything, tests included, with warnings as errors
# make test         runs the tests: `swift test`
# make check        runs the extended checks at full scale: pairs, trees, laws, conformance, kills, storms, real servers, samples
# make lint         checks the formatting and the documentation comments
# make format       formats the sources in place
# make docs         builds the documentation into .build/docs, with warnings as errors
# make site         builds the static site into .build/site and opens it in headless Chromium, if there is one
# make examples     runs the examples `storefront` and `firstday`, and the tests of all examples
# make bench        runs the benchmarks in a release build, as a package that depends on the library
# make bench-network  measures the client over real sockets beside URLSession and C; needs nginx
# make interop      runs the tests with real servers, over two versions of libcurl
# make stress       runs the stress tests under ThreadSanitizer
# make growth       runs recursions and compositions of a million levels and checks memory use
# make owners       releases 1,000 owners with requests in flight, under ThreadSanitizer, and reads 100,000 pages
# make kills        kills processes 300 times while they write to a disk store, and 540 times while they download; several share a store or a file
# make fuzz         fuzzes the parsers of untrusted input, a minute each (target=address seconds=600)
# make apple-check  type-checks on Linux what only Apple's systems compile
# make apple-planted  shows that apple-check finds planted errors
# make ci           runs everything that must hold before a change goes in

.DEFAULT_GOAL := help
.PHONY: help build test check lint format docs site examples bench bench-network interop stress growth owners kills fuzz apple-check apple-planted ci

formatted = Package.swift Sources Tests Examples
strict = -Xswiftc -warnings-as-errors
# The extended checks at full scale; Docs/Contributing.md.
checks = HELIOGRAPH_CHECKS=1 HELIOGRAPH_SCALE=100

help:
	@sed -n 's/^# make/make/p' $(firstword $(MAKEFILE_LIST))

# Each set of compiler flags has a scratch path of its own: in a common one, each would rebuild all of the other's.
build:
	swift build --build-tests --scratch-path .build/strict $(strict)

test:
	swift test

check:
	$(checks) swift test --no-parallel --filter '^((Signals|Heliograph)Checks|(Law|Conformance|Stress)Tests|DocumentationSamples)\.' --filter '^ResponseTests\.(SnakeCase|JSONNumber)Tests' --skip '^HeliographChecks\.InteropTests'
	HELIOGRAPH_CHECKS=main-actor swift test --filter '^MainActorSamples\.'
	HELIOGRAPH_SCALE=100 .ci/interop

lint:
	swift format lint --strict --recursive $(formatted)

format:
	swift format --in-place --recursive $(formatted)

docs:
	.ci/docs

site:
	.ci/docs
	.ci/site

examples:
	swift run --package-path Examples storefront
	swift run --package-path Examples firstday
	swift test --package-path Examples

bench:
	swift run --package-path Tests/Benchmarks -c release $(strict) Benchmarks $(options)

bench-network:
	.ci/bench-network $(options)

interop:
	.ci/interop

stress:
	HELIOGRAPH_CHECKS=1 HELIOGRAPH_SCALE=290 swift test --sanitize=thread --scratch-path .build/tsan $(strict) --filter StressTests

growth:
	$(checks) swift test --filter "RecursionTests|CompositionGrowthTests"

owners:
	$(checks) swift test --sanitize=thread --scratch-path .build/tsan $(strict) --filter OwnerReleaseTests
	HELIOGRAPH_SCALE=100 swift test --no-parallel --filter PageDemandTests

kills:
	$(checks) swift test --filter "DiskStoreCrashTests|DiskStoreSharingTests|DownloadCrashTests|HARCrashTests"

fuzz:
	.ci/fuzz $(or $(target),all) $(or $(seconds),60)

apple-check:
	.ci/apple-check

apple-planted:
	.ci/apple-planted

ci:
	.ci/run
