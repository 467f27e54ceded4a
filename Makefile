# SPDX-License-Identifier: GPL-2.0
# zswap_rs: the commands. Each calls short scripts in scripts/.
#
# make help prints the comments that begin with "##"; make readme writes the lists in README.md and docs/commands.md from
# them. "##@" heads a group, "##=" describes a variable.

IMPL ?= rust
COMPRESSOR ?= lz4
# Empty: builds without ccache.
CCACHE ?= ccache
export CCACHE IMPL COMPRESSOR KSRC V HOSTTOOLS JOBS VARIANT EXTRA_CONFIG DRIFT RUNS MUTANTS SUITE ARCH PAGES TOOLCHAIN ZERO_FIX MINUTES SEED KERNEL_ARGS WAY CONTENT KIB SWAP_FIX TURN UPTO FIGURES VERDICTS DRAWN TWINS ONLY FOLIOS

# Rejects bad input before any long work.
ifeq ($(filter rust c rust-zswap rust-cache,$(IMPL)),)
$(error IMPL=$(IMPL) is unknown: use rust, c, rust-zswap or rust-cache)
endif
ifeq ($(filter lz4 lz4-rust lzo lzo-rle zstd deflate 842,$(COMPRESSOR)),)
$(error COMPRESSOR=$(COMPRESSOR) is unknown: use lz4, lz4-rust, lzo, lzo-rle, zstd, deflate or 842)
endif

ifneq ($(MAKECMDGOALS),kunit)
ifeq ($(filter x86_64 arm64,$(or $(ARCH),x86_64)),)
$(error ARCH=$(ARCH) is unknown: use x86_64 or arm64)
endif
endif
ifeq ($(filter arm64:4 arm64:16 arm64:64 $(or $(ARCH),x86_64):4,$(or $(ARCH),x86_64):$(or $(PAGES),4)),)
$(error PAGES=$(PAGES) is invalid: use 4, or with ARCH=arm64 also 16 or 64)
endif
# Those of scripts/measure.sh.
experiments := ab bench compressors contention coverage growth latency metadata parity profile stack timing whole workloads
# Targets that support only x86-64 and the default compilers.
of_x86 := $(filter $(experiments) check configs drawn exports kernels mutants patches patches-check release rust-analyzer sanitize selftests zero,$(MAKECMDGOALS))
ifneq ($(of_x86),)
ifneq ($(filter-out x86_64,$(ARCH)),)
$(error ARCH=$(ARCH) is not for make $(of_x86): leave it out)
endif
ifneq ($(filter-out trixie,$(TOOLCHAIN)),)
$(error TOOLCHAIN=$(TOOLCHAIN) is not for make $(of_x86): leave it out)
endif
endif
ifneq ($(filter test stress races,$(MAKECMDGOALS)),)
ifneq ($(filter-out 4,$(PAGES)),)
$(error PAGES=$(PAGES) is for run, kunit and shell: guest tests count in pages of 4 KiB)
endif
endif

export LIST
# Targets that build or compare the implementations themselves.
of_both := $(filter $(experiments) check drawn exports fuzz kernels kunit litmus mutants next patches patches-check release rust-analyzer selftests twins,$(MAKECMDGOALS))
ifneq ($(of_both),)
ifneq ($(filter-out rust,$(IMPL)),)
$(error IMPL=$(IMPL) is not for make $(of_both): $(if $(filter kunit,$(of_both)),use IMPL=$(IMPL) make test,leave it out))
endif
endif
# What these targets would ignore.
ignored_by_kunit := COMPRESSOR VARIANT EXTRA_CONFIG RUNS MINUTES SEED MUTANTS CONFIGS ONLY FOLIOS TURN UPTO
ignored_by_fuzz := ARCH PAGES TOOLCHAIN SUITE TEST_LIMIT LIST $(filter-out MINUTES,$(ignored_by_kunit))
ignored_by_litmus := MINUTES $(ignored_by_fuzz)
ignored_by_next := $(ignored_by_litmus)
ignored_by_twins := ARCH PAGES SUITE LIST $(filter-out MINUTES SEED,$(ignored_by_kunit))
ignored_by_workloads := COMPRESSOR VARIANT EXTRA_CONFIG PAGES SUITE LIST MINUTES SEED MUTANTS CONFIGS TURN UPTO
default_ARCH := x86_64
default_PAGES := 4
default_TOOLCHAIN := trixie
default_COMPRESSOR := lz4
$(foreach goal,$(filter kunit fuzz litmus next twins workloads,$(MAKECMDGOALS)),$(foreach name,$(ignored_by_$(goal)),\
	$(if $(filter-out $(default_$(name)),$($(name))),$(error $(name)=$($(name)) is not for make $(goal): leave it out))))

# A kernel's build folder must not clash with those that scripts use.
ifneq ($(filter src vm log overlay host lock next series series-in kunit kunit-% input fuzz modules compressors bench growth parity contention latency metadata timing timing-% ab profile plugin judge whole workloads host-release arm64-% forky-% 16k-% 64k-%,$(VARIANT))$(findstring /,$(VARIANT))$(findstring .,$(VARIANT)),)
$(error VARIANT=$(VARIANT) is not a kernel name: use letters, digits and dashes, and none of build/'s other folders)
endif

ifeq ($(filter trixie forky,$(or $(TOOLCHAIN),trixie)),)
$(error TOOLCHAIN=$(TOOLCHAIN) is unknown: use trixie or forky)
endif

# As in scripts/lib.sh.
prefix := $(if $(filter-out trixie,$(TOOLCHAIN)),$(TOOLCHAIN)-)$(if $(filter arm64,$(ARCH)),arm64-)$(if $(filter-out 4,$(PAGES)),$(PAGES)k-)
out := $(CURDIR)/build/$(prefix)$(or $(VARIANT),$(IMPL))
image := $(if $(filter arm64,$(ARCH)),arm64/boot/Image,x86/boot/bzImage)

.PHONY: $(shell sed -n 's/^.. \([a-z-]*\): .*/\1/p' Makefile) $(experiments:=-input) stress-input twins-input fuzz-input kunit-input drawn-input sanitize-input

help:
	@awk 'BEGIN { print "zswap_rs: Linux\047s compressed swap cache in Rust, built into a Linux 7.3 kernel" } \
		/^##@ / { printf "\n%s\n\n", substr($$0, 5) } \
		/^##=? / { wide = $$1 == "##" ? 19 : 20; sub(/^##=? /, $$1 == "##" ? "make " : ""); n = index($$0, ": "); \
			printf "  %-*s %s\n", wide, substr($$0, 1, n - 1), substr($$0, n + 2) }' Makefile

##@ Run and test

## run: build the kernel, boot it in QEMU, swap real memory through zswap and compare it
run: kernel
	@scripts/demo.sh

## shell: a shell in the booted kernel
shell: kernel
	@scripts/vm.sh -i

## test: every test; ends with "N passed, N failed, N skipped"
test: kernel
	@tests/run.sh

# "-input" targets come before any long work.
kunit-input drawn-input: %-input:
	@scripts/$*.sh check

## kunit: the KUnit suites under kunit.py, on UML and x86-64; ARCH=um SUITE=name LIST=1
kunit: kunit-input overlay
	@scripts/kunit.sh

## races: force the interleavings in which zswap and the swap cache may race
races: kernel
	@tests/run.sh tests/vm/races.sh

## zero: check that a zeroed page does not come back with its older content; RUNS=10
zero: kernel
	@tests/zero.sh

## litmus: check the lockless algorithms against the kernel's memory model (herd7)
litmus: source
	@scripts/litmus.sh count

## check: rustfmt, clippy, checkpatch; unsafe code, imports between layers, docs, links
check: overlay
	@scripts/check.sh

##@ Test more, before a release

## kernels: build, boot and test zswap and the swap cache in C and in Rust, all four ways
kernels: overlay
	@scripts/kernels.sh choices

## configs: build, boot and test the configurations of scripts/configs
configs: overlay
	@scripts/kernels.sh configs $(CONFIGS)

sanitize-input:
	@scripts/kernels.sh sanitize check

## sanitize: the tests and the stress test under KASAN, lockdep, kmemleak and KCSAN
sanitize: sanitize-input overlay
	@scripts/kernels.sh sanitize

stress-input twins-input fuzz-input: %-input:
	@scripts/random.sh $* check

## stress: all operations concurrently, for MINUTES=15, with KASAN, lockdep and kmemleak
## twins: compare zswap and the swap cache with C in one kernel, for MINUTES=10; SEED=n repeats
## fuzz: fuzz LZ4 in Rust against LZ4 in C, under AddressSanitizer, for MINUTES=10
stress twins fuzz: %: %-input overlay
	@scripts/random.sh $*

## mutants: mutation testing: seed bugs, each with the test that must catch it; MUTANTS="name ..."
mutants: kernel
	@scripts/mutants.sh

## drawn: the same with DRAWN=48 mutants picked at random; SEED=1
drawn: drawn-input overlay
	@scripts/drawn.sh

## selftests: the kernel's selftests on both implementations; RUNS=10 times each
selftests: overlay
	@scripts/selftests.sh

## exports: compare the exported symbols of a C kernel with and without the project
exports: overlay
	@scripts/kernels.sh exports

## release: all of these that have not passed with this code, then all stale figures; ONLY="stress twins"
release: overlay
	@scripts/figures.sh release

##@ Measure C and Rust

$(experiments:=-input): %-input:
	@scripts/measure.sh $* check

## bench: instructions for swap-out, swap-in and free, in C and in Rust; RUNS=3 boots of each
## profile: one row of make bench by function; WAY=split CONTENT=text KIB=4
## ab: instructions to store, load and free a page, with C and Rust in one kernel
## timing: time to store, load and free a page, in C and in Rust; RUNS=15 pairs of boots
## latency: latency of a real-time task's fault on a CPU that stores, in C and in Rust
## growth: cost by folio size, cgroups and stored pages, in C and in Rust; UPTO=n
## contention: locked instructions and cache-line transfers of eight CPUs, in C and in Rust; RUNS=2
## metadata: kernel memory per page in zswap, without its data, in C and in Rust
## stack: stack usage of zswap and the swap cache, in C and in Rust
## workloads: real programs above their memory limit, in C and in Rust; RUNS=5 ONLY="sort"
## whole: a build and readers above their limit, in large folios swapped in whole or not; RUNS=5
## compressors: cost and ratio of each compressor, and the benefit of an accelerator
## parity: compare one workload's statistics on both implementations; RUNS=10 times each
## coverage: the lines of policy and core that the tests reach
$(experiments): %: %-input overlay
	@scripts/measure.sh $*

coverage: kernel

##@ Figures and pages

## figures: measure the stale figures of docs again; VERDICTS=1, FIGURES="bench stack"
figures: overlay
	@scripts/figures.sh

## readme: fill figures and lists into README.md and docs
readme: overlay
	@scripts/enter.sh python3 scripts/docs.py readme

## safety-report: count unsafe code, and list what C is trusted for, in docs/safety.md
safety-report: toolchain
	@scripts/enter.sh python3 scripts/docs.py safety
	@scripts/enter.sh python3 scripts/docs.py pictures

## review: write the C and the Rust that docs/review.md shows
review: overlay
	@scripts/enter.sh python3 scripts/docs.py review

## pictures: draw the pictures of docs from tables and sources
# What make bench and make compressors draw as well.
pictures: toolchain
	@scripts/enter.sh python3 scripts/docs.py pictures
	@scripts/enter.sh python3 scripts/docs.py plot performance compressors

##@ Build, port and send

## kernel: build the kernel
kernel: overlay
	@scripts/kernel.sh $(IMPL)

## where: print the paths of the image, vmlinux, config and the build folder
where:
	@printf '%s\n' image=$(out)/arch/$(image) vmlinux=$(out)/vmlinux config=$(out)/.config build=$(out)

## overlay: apply the project to a copy of the kernel source, in build/src
overlay: source crates
	@scripts/overlay.sh

## next: report what a port to another kernel needs: KSRC=/path, or Debian's newest
# KSRC is a kernel of another version.
next:
	@scripts/next.sh

## patches: write the project as patch series, ready to mail
patches: overlay
	@scripts/patches.sh

## patches-check: apply the series, build it commit by commit, and test it
patches-check: overlay
	@scripts/patches.sh check

## rust-analyzer: write rust-project.json for the editor
rust-analyzer: overlay
	@scripts/kernel.sh rust
	@scripts/rust-analyzer.sh

## toolchain: install the toolchain root (Debian trixie) in the cache
toolchain:
	@scripts/toolchain.sh

## source: download the source of Linux 7.3 into the cache
## crates: download the crates of the host tests into the cache
source crates: toolchain
	@scripts/cache.sh $@

## clean: remove build/
clean:
	@rm -rf build rust-project.json

## distclean: remove build/ and the cache, which all checkouts share
distclean: clean
	@scripts/cache.sh clean

## help: these lists

##@ Variables

##= IMPL=rust|c: Rust (default) or C, in the same kernel; rust-zswap, rust-cache: only one of the two in Rust
##= ARCH=arm64: for run, test, kunit, races, stress: an arm64 guest; PAGES=16 or 64 for run, kunit
##= COMPRESSOR=name: for run: lz4 (default), lz4-rust, lzo, lzo-rle, zstd, deflate, 842
##= KSRC=/path: your own Linux 7.3 source, a tree or an archive
##= TOOLCHAIN=forky: the compilers of the next Debian instead of those of trixie
##= HOSTTOOLS=1: the tools of this machine instead of the toolchain root
##= EXTRA_CONFIG=file VARIANT=name: a kernel with more options, in build/name
##= DRIFT=1: build even if the C differs from the C that the Rust mirrors
##= ZERO_FIX=1: with the patch of docs/upstream for zeroed pages that come back with older content
##= SWAP_FIX=1: with the other patches of docs/upstream to C
##= TURN=n: for contention: instructions per time slice of a CPU
##= UPTO=n: for growth: maximum number of other pages in zswap (4194304)
##= SEED=n: for stress, twins, drawn: repeat an earlier run
##= CONFIGS="rt numa": for configs: only these
##= LARGE_SWAPIN=Y: for parity: show what large folios from zswap change, without writing it to docs
##= FOLIOS=4: for workloads: only folios of that many KiB
##= TEST_LIMIT=900: seconds in which a guest may print nothing (default: 300)
##= CCACHE=: compile without ccache
##= ZSWAP_RS_CACHE=/path: the cache: toolchain roots, kernel source, crates, ccache
##= V=1: print all output
##= JOBS=n: parallel jobs (default: the number of CPUs)
