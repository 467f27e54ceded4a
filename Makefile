# SPDX-License-Identifier: GPL-2.0
# zswap_rs: the commands. Each calls short scripts in scripts/.

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
$(error PAGES=$(PAGES) can't be: pages are of 4 KiB, with ARCH=arm64 also of 16 or 64)
endif
# Targets that support only x86-64 and the default compilers.
of_x86 := $(filter check compressors configs contention coverage drawn exports kernels latency metadata mutants ab parity profile patches patches-check rust-analyzer sanitize selftests stack bench growth timing workloads zero,$(MAKECMDGOALS))
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
$(error PAGES=$(PAGES) is for run, kunit and shell: the tests of whole systems count in pages of 4 KiB)
endif
endif

export LIST
# Targets that build or compare the implementations themselves.
of_both := $(filter bench check compressors contention coverage drawn exports fuzz growth kernels kunit litmus metadata mutants next parity patches patches-check rust-analyzer selftests stack timing twins ab profile workloads,$(MAKECMDGOALS))
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
ifneq ($(filter src vm log overlay host lock next series series-in kunit kunit-% input fuzz modules compressors bench growth parity contention latency metadata timing timing-% ab profile plugin judge workloads host-release arm64-% forky-% 16k-% 64k-%,$(VARIANT))$(findstring /,$(VARIANT))$(findstring .,$(VARIANT)),)
$(error VARIANT=$(VARIANT) is no name for a kernel: use letters, digits and dashes, and none of build/'s other folders)
endif

ifeq ($(filter trixie forky,$(or $(TOOLCHAIN),trixie)),)
$(error TOOLCHAIN=$(TOOLCHAIN) is unknown: use trixie or forky)
endif

# As in scripts/lib.sh.
prefix := $(if $(filter-out trixie,$(TOOLCHAIN)),$(TOOLCHAIN)-)$(if $(filter arm64,$(ARCH)),arm64-)$(if $(filter-out 4,$(PAGES)),$(PAGES)k-)
out := $(CURDIR)/build/$(prefix)$(or $(VARIANT),$(IMPL))
image := $(if $(filter arm64,$(ARCH)),arm64/boot/Image,x86/boot/bzImage)

.PHONY: help run test next patches patches-check kunit kunit-input compressors fuzz fuzz-input twins twins-input ab profile profile-input kernels configs races stack selftests parity exports bench contention contention-input metadata growth growth-input latency latency-input timing timing-input workloads workloads-input zero stress stress-input sanitize sanitize-input shell kernel where overlay check safety-report review pictures mutants drawn drawn-input litmus coverage rust-analyzer toolchain source crates clean distclean

help:
	@echo 'zswap_rs: Linux'\''s compressed swap cache in Rust, built into a Linux 7.3 kernel'
	@echo
	@echo '  make run            build the kernel, boot it in QEMU, swap real memory through it'
	@echo '  make test           every test; ends with "N passed, N failed, N skipped"'
	@echo '  make kunit          every KUnit suite by kunit.py, on UML and x86-64; ARCH=um SUITE=name LIST=1'
	@echo '  make configs        build, boot and test the configurations of scripts/configs'
	@echo '  make stack          stack usage of zswap and the swap cache, in C and in Rust'
	@echo '  make kernels        build, boot and test the four choices of C and Rust'
	@echo '  make races          force each interleaving of zswap and the swap cache that is known to matter'
	@echo '  make selftests      the kernel'\''s selftests, on both implementations; RUNS=10 times each'
	@echo '  make parity         one workload on both implementations, row by row; RUNS=10 times each'
	@echo '  make bench          the cost of swapping in C and in Rust, in instructions; RUNS=3 boots of each'
	@echo '  make contention     locked instructions and cache-line transfers of eight CPUs, in C and in Rust; RUNS=2'
	@echo '  make metadata       kernel memory of each page in zswap beside its data, in C and in Rust'
	@echo '  make growth         how the cost grows with folio size, cgroups and stored pages, in C and in Rust; UPTO=n'
	@echo '  make latency        how long a real-time task'\''s fault takes on a CPU that stores, in C and in Rust'
	@echo '  make profile        a row of make bench by function; WAY=split CONTENT=text KIB=4'
	@echo '  make ab             instructions to store, load and free a page, with both in one kernel'
	@echo '  make timing         time to store, load and free a page, in C and in Rust; RUNS=15 pairs of boots'
	@echo '  make workloads      programs that people run, over their limit, in C and in Rust; RUNS=5 counted, ONLY="sort"'
	@echo '  make compressors    cost and ratio of each compressor, and the gain of an accelerator'
	@echo '  make exports        the exported symbols of a kernel in C, with and without the project'
	@echo '  make zero           look for zero pages that come back with older contents; RUNS=10 times'
	@echo '  make fuzz           both LZ4s under libFuzzer and AddressSanitizer, for MINUTES=10'
	@echo '  make twins          zswap and the swap cache against C in one kernel, for MINUTES=10; SEED=n repeats'
	@echo '  make stress         all operations at once, for MINUTES=15, on a kernel with debug checks'
	@echo '  make sanitize       the tests and the stress under KASAN, lockdep, kmemleak and KCSAN'
	@echo '  make shell          a shell in the booted kernel'
	@echo
	@echo '  make kernel         build the kernel'
	@echo '  make where          print the paths of the image, vmlinux, config and the build folder'
	@echo '  make overlay        lay the project on a copy of the kernel source, in build/src'
	@echo '  make figures        measure the stale figures of docs anew; VERDICTS=1, or FIGURES="bench stack"'
	@echo '  make readme         fill figures into README.md and docs, from the tables and the sources'
	@echo '  make check          rustfmt, clippy, checkpatch; no unsafe and no cycle in the policy; docs, words, links'
	@echo '  make safety-report  count unsafe code, and list what C is trusted for, in docs/safety.md'
	@echo '  make review         write the C and the Rust that docs/review.md shows'
	@echo '  make pictures       draw the pictures of docs anew, from tables and sources'
	@echo '  make mutants        mutation testing: seed bugs, each caught by a named test; MUTANTS="name ..."'
	@echo '  make drawn          the same with mutants that a draw picks: DRAWN=48 of them, SEED=1'
	@echo '  make litmus         check lockless algorithms against the kernel'\''s memory model'
	@echo '  make coverage       the lines of the policy that the tests reach'
	@echo '  make patches        the project as patch series to be mailed'
	@echo '  make patches-check  the series applied, built commit by commit, and tested'
	@echo '  make next           what a port to another kernel needs: KSRC=/path, or Debian'\''s newest'
	@echo '  make rust-analyzer  write rust-project.json for the editor'
	@echo '  make toolchain      make the toolchain root (Debian trixie) in the cache'
	@echo '  make source         get the source of Linux 7.3 into the cache'
	@echo '  make crates         get the crates of the host tests into the cache'
	@echo '  make clean          remove build/'
	@echo '  make distclean      remove build/ and the cache, which all checkouts share'
	@echo
	@echo '  IMPL=rust|c         Rust (default) or the C of mm/zswap.c and mm/swap_state.c, in the same'
	@echo '                      kernel; rust-zswap, rust-cache: only one of the two in Rust'
	@echo '  ARCH=arm64          for run, test, kunit, races, stress: an arm64 guest; PAGES=16 or 64 for run, kunit'
	@echo '  COMPRESSOR=name     for run: lz4 (default), lz4-rust, lzo, lzo-rle, zstd, deflate, 842'
	@echo '  KSRC=/path          your own Linux 7.3 source, a tree or an archive'
	@echo '  TOOLCHAIN=forky     the compilers of the next Debian instead of those of trixie'
	@echo '  HOSTTOOLS=1         the tools of this machine instead of the toolchain root'
	@echo '  EXTRA_CONFIG=file VARIANT=name  a kernel with more options, in build/name'
	@echo '  DRIFT=1             build even if mm/zswap.c or mm/swap_state.c differs from what the Rust mirrors'
	@echo '  ZERO_FIX=1          with the fix of docs/upstream for zero pages with older contents'
	@echo '  SWAP_FIX=1          with the fixes of docs/upstream for bad slots, slot checks, stock drains, folio locks and pools'
	@echo '  TURN=n              for contention: instructions per time slice of a CPU'
	@echo '  UPTO=n              for growth: maximum number of other pages in zswap (4194304)'
	@echo '  SEED=n              for stress: repeat the operations of an earlier run'
	@echo '  CONFIGS="rt numa"    for configs: only these'
	@echo '  FOLIOS=4            for workloads: only folios of that many KiB'
	@echo '  TEST_LIMIT=900      seconds in which a guest may print nothing (default: 300)'
	@echo '  CCACHE=             compile without ccache, whose store is in the cache'
	@echo '  ZSWAP_RS_CACHE=/path where the toolchain roots, the source and the store are kept'
	@echo '  V=1                 show everything'
	@echo '  JOBS=n              parallel jobs (default: the number of CPUs)'

toolchain:
	@scripts/toolchain.sh

source: toolchain
	@scripts/source.sh

crates: toolchain
	@scripts/crates.sh

overlay: source crates
	@scripts/overlay.sh

kernel: overlay
	@scripts/kernel.sh $(IMPL)

where:
	@printf '%s\n' image=$(out)/arch/$(image) vmlinux=$(out)/vmlinux config=$(out)/.config build=$(out)

run: kernel
	@scripts/demo.sh

# For Rust, the tests of races and of the kernel's debug checks run on a second kernel.
test: kernel
	@[ "$(IMPL)$(VARIANT)" != rust ] || VARIANT=debugvm EXTRA_CONFIG=scripts/configs/debugvm.config scripts/kernel.sh rust
	@tests/run.sh

kunit-input:
	@scripts/kunit.sh check

kunit: kunit-input overlay
	@scripts/kunit.sh

zero: kernel
	@tests/zero.sh

# Before any long work.
stress-input:
	@scripts/stress.sh check

stress: stress-input overlay
	@scripts/stress.sh

# Before any long work.
fuzz-input:
	@scripts/fuzz.sh check

fuzz: fuzz-input overlay
	@scripts/fuzz.sh

twins-input:
	@scripts/twins.sh check

twins: twins-input overlay
	@scripts/twins.sh

profile-input:
	@scripts/profile.sh check

profile: profile-input overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/profile.sh

ab: overlay
	@scripts/kernel.sh rust
	@scripts/ab.sh

kernels: overlay
	@scripts/kernels.sh

configs: overlay
	@scripts/configs.sh $(CONFIGS)

races: overlay
	@scripts/configs.sh races

# Before any long work.
sanitize-input:
	@scripts/sanitize.sh check

sanitize: sanitize-input overlay
	@scripts/sanitize.sh

stack: overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/enter.sh python3 scripts/stack.py

compressors: overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/compressors.sh

selftests: overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/selftests.sh

parity: overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/parity.sh

exports: overlay
	@scripts/exports.sh

bench: overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/bench.sh

# Before any long work.
contention-input:
	@scripts/contention.sh check

contention: contention-input overlay
	@scripts/contention.sh

metadata: overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/metadata.sh

# Before any long work.
growth-input:
	@scripts/growth.sh check

growth: growth-input overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/growth.sh

# Before any long work.
latency-input:
	@scripts/latency.sh check

latency: latency-input overlay
	@scripts/kernel.sh c
	@scripts/kernel.sh rust
	@scripts/latency.sh

# Before any long work.
timing-input:
	@scripts/timing.sh check

timing: timing-input overlay
	@scripts/timing.sh

# Before any long work.
workloads-input:
	@scripts/workloads.sh check

workloads: workloads-input overlay
	@scripts/workloads.sh

shell: kernel
	@scripts/vm.sh -i

check: overlay
	@scripts/check.sh

patches: overlay
	@scripts/patches.sh

patches-check: overlay
	@scripts/patches.sh check

# KSRC is a kernel of another version.
next:
	@scripts/next.sh

safety-report: toolchain
	@scripts/enter.sh scripts/safety.py
	@scripts/enter.sh scripts/pictures.py

.PHONY: figures readme
figures: overlay
	@scripts/figures.sh

readme: overlay
	@scripts/enter.sh python3 scripts/readme.py

# What make bench and make compressors draw as well.
pictures: toolchain
	@scripts/enter.sh scripts/pictures.py
	@scripts/pictures.sh performance growth compressors

review: overlay
	@scripts/enter.sh python3 scripts/review.py build/overlay/c

mutants: kernel
	@scripts/mutants.sh

# Before any long work.
drawn-input:
	@scripts/drawn.sh check

drawn: drawn-input overlay
	@scripts/drawn.sh

litmus: source
	@scripts/litmus.sh count

coverage: kernel
	@scripts/coverage.sh

rust-analyzer: overlay
	@scripts/kernel.sh rust
	@scripts/rust-analyzer.sh

clean:
	@rm -rf build rust-project.json

distclean: clean
	@scripts/distclean.sh
