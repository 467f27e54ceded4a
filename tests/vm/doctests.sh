# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# only: doctests
# The examples in the documentation of the kernel crate, which are a KUnit suite: those of the
# project's files as they ran at boot, and all of them again now that zswap has its pool and there
# is swap.
. ./lib.sh

cd /sys/kernel/debug/kunit/rust_doctests_kernel || exit
files="block/plug crypto/acompress crypto/scompress mm/call mm/debug mm/fault mm/folio mm/memalloc
	mm/memcontrol mm/swap_add mm/trace_event mm/vmstat nodemask race shrinker slab"
# shellcheck disable=SC2086
set -- $files
plan $(($# + 3))

# suite_ended POINT: whether the suite passed, with all its cases
suite_ended()
{
	point "$1" "$(grep -c '^ *not ok' results) failed, $(grep -c '^ok' results) passed" \
		"0 failed, 1 passed"
}

suite_ended "the suite, as it ran at boot"
for file; do
	test=" rust_doctest_kernel_$(echo "$file" | tr / _)_rs_[0-9]*\$"
	passed=$(grep -c "^ *ok [0-9]*$test" results)
	point "the examples of $file.rs" \
		"$(true_that [ "$passed" -gt 0 ]), $(grep -c "^ *not ok [0-9]*$test" results) failed" \
		"yes, 0 failed"
done

ran=$(grep -c '^ *ok .* rust_doctest_' results)
swap_on virtio
echo 1 > run
suite_ended "the suite, run again with swap on"
point "as many passed as before" "$(grep -c '^ *ok .* rust_doctest_' results)" "$ran"
swap_off
