# SPDX-License-Identifier: GPL-2.0
# zswap_rs: the commands. Each calls short scripts in scripts/.
#
# make help prints the comments that begin with "##"; make pages writes the lists in README.md and docs/commands.md from
# them. "##@" heads a group, "##=" describes a variable.

.PHONY: run shell test kunit deb kernel overlay compare patches next where rust-analyzer fetch clean distclean help \
	check races zero litmus stress sanitize twins fuzz mutants configs kernels selftests exports release \
	bench measure results pages input

help:
	@awk 'BEGIN { print "zswap_rs: Linux\047s compressed swap cache in Rust, built into a Linux 7.3 kernel" } \
		/^##@ / { printf "\n%s\n\n", substr($$0, 5) } \
		/^##=? / { sub(/^##=? /, $$1 == "##" ? "make " : ""); n = index($$0, ": "); \
			printf "  %-18s %s\n", substr($$0, 1, n - 1), substr($$0, n + 2) }' Makefile

# Refuses bad input. Every target with work to do comes after it, and it knows which variables each takes.
input:
	@scripts/input.sh $(MAKECMDGOALS) -- $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))

##@ Use

## run: build a kernel, boot it, swap real memory and compare it
run: kernel
	@scripts/demo.sh

## shell: a shell in the booted kernel
shell: kernel
	@scripts/vm.sh -i

## test: every test; ends with "N passed, N failed, N skipped"
test: kernel
	@tests/run.sh

## kunit: KUnit, on UML and x86-64; ARCH=um SUITE=name LIST=1
kunit: overlay
	@scripts/kunit.sh

## deb: Debian's kernel with both in Rust, as a package, and its test
deb: overlay
	@scripts/deb.sh

## kernel: build the kernel
kernel: overlay
	@scripts/kernel.sh $(or $(IMPL),rust)

## overlay: lay the project on a copy of the kernel source
overlay: fetch
	@scripts/overlay.sh

## compare: C beside Rust in a browser; CHECK=1 tests the page
compare: overlay
	@scripts/compare.sh $(if $(CHECK),check)

## patches: write the project as patches; CHECK=1 builds, tests them
patches: overlay
	@scripts/patches.sh $(if $(CHECK),check)

## next: list what a port needs, to KSRC=/path or Debian's newest
next: input
	@scripts/next.sh

## where: print the paths of the image, vmlinux, config, build folder
# As in scripts/lib.sh.
prefix := $(if $(filter-out trixie,$(TOOLCHAIN)),$(TOOLCHAIN)-)$(if $(filter-out x86_64,$(ARCH)),$(ARCH)-)$(if $(filter-out 4,$(PAGES)),$(PAGES)k-)
out := $(CURDIR)/build/$(prefix)$(or $(VARIANT),$(IMPL),rust)
image := $(if $(filter-out x86_64,$(ARCH)),$(ARCH)/boot/Image,x86/boot/bzImage)
where: input
	@printf '%s\n' image=$(out)/arch/$(image) vmlinux=$(out)/vmlinux config=$(out)/.config build=$(out)

## rust-analyzer: write rust-project.json for the editor
rust-analyzer: overlay
	@scripts/kernel.sh rust
	@scripts/rust-analyzer.sh

## fetch: download the tools, the kernel source and the crates
fetch: input
	@scripts/toolchain.sh
	@scripts/cache.sh source
	@scripts/cache.sh crates

## clean: remove build/
clean: input
	@rm -rf build rust-project.json

## distclean: remove build/, and the cache that all checkouts share
distclean: clean
	@scripts/cache.sh clean

## help: these lists

##@ Check

## check: rustfmt, clippy, checkpatch; unsafe code, layers, pages
check: overlay
	@scripts/check.sh

## kernels: test all four combinations of C and Rust
## configs: test the configurations of scripts/configs; CONFIGS=rt
## sanitize: the tests under KASAN, lockdep, kmemleak, then KCSAN
## exports: compare the exported symbols with those of plain Linux
kernels configs sanitize exports: overlay
	@scripts/kernels.sh $@

## races: force the interleavings in which the code may race
races: kernel
	@tests/run.sh tests/vm/races.sh

## stress: all operations at once, under KASAN; MINUTES=15 SEED=n
## twins: compare C and Rust in one kernel; MINUTES=10 SEED=n
## fuzz: fuzz LZ4 in Rust against LZ4 in C; MINUTES=10
stress twins fuzz: overlay
	@scripts/random.sh $@

## mutants: bugs that tests must catch; DRAWN=48 SEED=1: random ones
mutants: $(if $(DRAWN),overlay,kernel)
	@scripts/$(if $(DRAWN),drawn,mutants).sh

## litmus: check lockless algorithms by the kernel's memory model
litmus: fetch
	@scripts/litmus.sh count

## zero: check that no zeroed page has its older content; RUNS=10
zero: kernel
	@tests/zero.sh

## selftests: the kernel's selftests, on C and on Rust; RUNS=10
selftests: overlay
	@scripts/selftests.sh

## release: all of Check and Measure that has not passed; ONLY=stress
release: overlay
	@scripts/release.sh

##@ Measure

## bench: instructions for swap-out, swap-in and free; RUNS=3
bench: overlay
	@scripts/measure.sh bench

## measure: all other measurements, or ONLY="stack whole"
measure: overlay
	@scripts/measure.sh $(ONLY)

## results: copy what was measured to results/; ONLY=stack
results: fetch
	@scripts/enter.sh python3 scripts/results.py take $(ONLY)

## pages: write figures, lists, code and pictures into the pages
pages: overlay
	@scripts/enter.sh python3 scripts/docs.py safety
	@scripts/enter.sh python3 scripts/attacks.py
	@scripts/enter.sh python3 scripts/docs.py pictures
	@scripts/enter.sh python3 scripts/docs.py plot performance compressors
	@scripts/enter.sh python3 scripts/docs.py readme
	@scripts/enter.sh python3 scripts/results.py page

##@ Variables

##= IMPL=c: rust (default), c; rust-zswap, rust-cache: only that
##= COMPRESSOR=name: lz4 (default), lz4-rust, lzo, lzo-rle, zstd, deflate, 842
##= KSRC=/path: your own Linux 7.3 source, a tree or an archive
##= HOSTTOOLS=1: your own tools, with KSRC
##= TOOLCHAIN=forky: the compilers of the next Debian
##= ARCH=arm64: an arm64 guest; PAGES=16 or 64: its pages, in KiB
##= ARCH=riscv: a riscv64 guest
##= VARIANT=name: a plain kernel in build/name, or with EXTRA_CONFIG=file
##= DRIFT=1: build even if the C is not what the Rust mirrors
##= ZERO_FIX=1: with the patch for zeroed pages with older content
##= SWAP_FIX=1: with the other patches of docs/upstream to C
##= TEST_LIMIT=900: seconds in which a guest may print nothing (300)
##= MUTANTS="name": for mutants: these; TWINS=1: only compare with C
##= SEEDED=10: for sanitize: only see whether KCSAN sees data races
##= ONLY=text: for selftests: programs whose command has this
##= WAY=split: for profile: a row of bench; CONTENT=text KIB=4
##= LARGE_SWAPIN=Y: for parity: show what large swap-ins change
##= KERNEL_ARGS="...": for kunit: more arguments for the kernel
##= PROGRAMS="sort": for workloads: only these; FOLIOS=4: only of 4 KiB
##= TURN=n: for contention: instructions in a CPU's time slice
##= UPTO=n: for growth: maximum number of other pages in zswap
##= CCACHE=: compile without ccache
##= ZSWAP_RS_CACHE=dir: where downloads and compiled objects are kept
##= V=1: print all output
##= JOBS=n: parallel jobs (default: the number of CPUs)
