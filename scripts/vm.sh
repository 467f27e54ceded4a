#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boots the kernel of IMPL (rust, c, ...) in QEMU, on a machine of ARCH, and runs one command in it.
#
#   scripts/vm.sh [-n NAME] [-t SECONDS] [-a KERNEL_ARGS] [-d DISK] [-m MEMORY] [-x ACCEL] [-r] [-c CPUS] [-p] [-s SHIFT] COMMAND...
#   scripts/vm.sh -i         a shell, on this terminal
#
# The command's output goes to standard output and stays in build/log/NAME.out, the kernel's log in
# build/log/NAME.console. The exit status is the command's; 1 when the kernel complained (oops, BUG,
# WARNING), died, or printed nothing for SECONDS (TEST_LIMIT, 300). A line that begins with "guest "
# only shows that it isn't stuck, and isn't displayed. -r makes it repeatable: one CPU, whose clock
# counts executed instructions. QEMU counts each step of a string instruction, so that CPU lacks the features with
# which the kernel copies and clears memory byte by byte. An instruction takes 2 to the power of
# SHIFT (1) nanoseconds of that clock. -p leaves its CPUs paused: it hangs in its boot, to test how
# that is handled. Disks in the guest: vda for swap, vdb with an ext4 file system for a swap file,
# vdc DISK read-only. Writes to them are discarded.
. "$(dirname "$0")/lib.sh"

name=vm limit=${TEST_LIMIT:-300} args='' disk='' devices='' memory=1G accel='' shell='' repeat='' cpus=1 paused='' shift_by=1
while getopts n:t:a:d:m:x:s:c:rpi option; do
	case $option in
	n) name=$OPTARG ;;
	t) limit=$OPTARG ;;
	a) args=$OPTARG ;;
	d) disk=$OPTARG ;;
	m) memory=$OPTARG ;;
	x) accel=$OPTARG ;;
	r) repeat=1 ;;
	c) cpus=$OPTARG ;;
	p) paused=1 ;;
	s) shift_by=$OPTARG ;;
	i) shell=1 ;;
	*) die "usage: scripts/vm.sh [-i] [-n NAME] [-t SECONDS] [-a KERNEL_ARGS] [-d DISK] [-m MEMORY] [-x ACCEL] [-r] [-c CPUS] [-p] [-s SHIFT] COMMAND..." ;;
	esac
done
shift $((OPTIND - 1))
[ -n "$shell" ] || [ $# -gt 0 ] || die "scripts/vm.sh: no command for the guest (-i gives a shell)"

build=$(make -s where IMPL="${IMPL:-rust}" | sed -n 's/^build=//p')
kernel=$(make -s where IMPL="${IMPL:-rust}" | sed -n 's/^image=//p')
[ -e "$kernel" ] || die "no kernel at '$kernel': run make kernel IMPL=${IMPL:-rust}"

# The machine: its QEMU, the root with it, its compiler, its first and second serial line.
enter=(scripts/enter.sh) second=()
case ${ARCH:-x86_64} in
x86_64)
	# Four levels of page tables: with five, KASAN reports a false positive if an interrupt
	# comes during the kernel's CPU detection.
	cc=gcc machine=(qemu-system-x86_64) cpu=max,la57=off lines=(ttyS0 ttyS1)
	# The kernel's timer check fails if QEMU has to wait long for a CPU. The port is that of the ACPI tables. Two sockets
	# count as two clocks, but QEMU has one.
	args="no_timer_check pmtmr=0x608 tsc=reliable $args"
	[ -z "$repeat" ] || cpu+=,erms=off,fsrm=off,fsrs=off
	;;
arm64)
	cc=aarch64-linux-gnu-gcc machine=(qemu-system-aarch64 -machine virt) cpu=neoverse-n1 lines=(ttyAMA0 ttyAMA1) args="earlycon $args"
	[ -z "${HOSTTOOLS:-}" ] || die "ARCH=arm64 requires a root with its programs: leave HOSTTOOLS out"
	# The tags of scripts/configs/mte.config.
	! grep -q -s -x CONFIG_KASAN_HW_TAGS=y "$build/.config" || machine+=(-machine mte=on) cpu=max
	scripts/toolchain.sh arm64 >&2
	enter=(env ENTER_ROOT="$ARM64_ROOT" scripts/enter.sh)
	;;
riscv)
	cc=riscv64-linux-gnu-gcc machine=(qemu-system-riscv64 -machine virt) cpu=max lines=(ttyS0 ttyS1) args="earlycon $args"
	second=(-device pci-serial,chardev=serial1) # the machine has one
	[ -z "${HOSTTOOLS:-}" ] || die "ARCH=riscv requires a root with its programs: leave HOSTTOOLS out"
	scripts/toolchain.sh riscv >&2
	enter=(env ENTER_ROOT="$RISCV_ROOT" scripts/enter.sh)
	;;
*) die "ARCH=$ARCH is unknown: use x86_64, arm64 or riscv" ;;
esac

vm=$TOP/build/vm log=$TOP/build/log/$name
mkdir -p "$vm"
initramfs=build/vm/initramfs${prefix:+-${prefix%-}}.cpio more=()
if [ -s "$build/modules.order" ]; then
	initramfs=build/vm/initramfs-${build##*/}.cpio
	mapfile -t more < <(sed "s#^#$build/#; s/o\$/ko/" "$build/modules.order")
fi
# For scripts/configs/devices.config: its disks, programs for these, and five levels of page tables.
if [[ ${EXTRA_CONFIG:-} == */devices.config ]]; then
	devices=yes initramfs=build/vm/initramfs-devices.cpio
	more=(/usr/sbin/{dmsetup,mkfs.btrfs,mkfs.xfs}) cpu=${cpu/la57=off/la57=on}
fi
"${enter[@]}" bash scripts/initramfs.sh "$cc" "${PAGES:-4}" "$initramfs" "${more[@]#"$TOP/"}"
if [ ! -e "$vm/swap.img" ] || [ ! -e "$vm/ext4.img" ]; then
	(
		flock 9 # only one of several guests started together
		[ ! -e "$vm/swap.img" ] || [ ! -e "$vm/ext4.img" ] || exit 0
		truncate -s 512M "$vm/swap.img" "$vm/ext4.new"
		scripts/enter.sh mkfs.ext4 -q -F build/vm/ext4.new
		mv "$vm/ext4.new" "$vm/ext4.img"
	) 9>"$vm/disks.lock"
fi
[ -z "$repeat" ] || accel=tcg,thread=single
[ -n "$accel" ] || accel=$(scripts/accel.sh)

drive=if=virtio,format=raw,cache=unsafe
qemu=("${machine[@]}" -nodefaults -display none -accel "$accel"
	-cpu "$cpu" -m "$memory" -kernel "$kernel" -initrd "$TOP/$initramfs"
	-drive "$drive,snapshot=on,file=$vm/swap.img"
	-drive "$drive,snapshot=on,file=$vm/ext4.img")
# A machine that resumes from a hibernation image reboots for that.
[[ $args == *" resume="* ]] || qemu+=(-no-reboot)
if [ -n "$devices" ]; then
	truncate -s 1G "$vm/blank.img"
	for id in nvme sata; do
		qemu+=(-drive "if=none,id=$id,format=raw,cache=unsafe,snapshot=on,file=$vm/blank.img")
	done
	qemu+=(-device nvme,serial=1,drive=nvme -device ahci,id=ahci -device ide-hd,drive=sata,bus=ahci.0)
fi
# Without ACPI the kernel reads the BIOS's table, which has one CPU of each socket. Only the disks' latency isn't repeatable.
if [ -n "$repeat" ]; then
	qemu+=(-smp "$cpus,sockets=$cpus" -icount "shift=$shift_by,sleep=off" -seed 1 -rtc "base=2026-01-01,clock=vm")
else
	qemu+=(-smp 2,sockets=2)
fi
[ -z "$paused" ] || qemu+=(-S)
# For the measurement coverage: logs the executed code in these address ranges.
[ -z "${COVER:-}" ] || qemu+=(-d in_asm -dfilter "$COVER" -D "$log.cover")
# For scripts/measure.sh: a plugin of QEMU's, and what it is told.
[ -z "${PLUGIN:-}" ] || qemu+=(-plugin "$PLUGIN")
[ -z "$disk" ] || qemu+=(-drive "$drive,readonly=on,file=$disk")
append="console=${lines[0]} panic=-1 $args out=${lines[1]}"

if [ -n "$shell" ]; then
	echo "A shell in the guest; exit or Ctrl-A X ends it, /vm/lib.sh has the tests' tools."
	exec "${enter[@]}" "${qemu[@]}" -serial mon:stdio -append "$append run=shell"
fi

# Whether any code of the project has run; the command line in the log, which names tests, is
# ignored.
ours() { awk '/ommand line/ { next } /zswap: |KTAP|lz4/ { found = 1; exit } END { exit !found }' "$log.console"; }

# Progress in the kernel's log: all of it until the command prints, then only results of KUnit
# cases. A kernel that has logged a stall may go on to log that for ever: its log counts no more.
logged() {
	if grep -a -q -E 'detected (expedited )?stall|(soft|workqueue) lockup|hard LOCKUP|blocked for more than' "$log.console"; then
		echo stalled
	elif [ "$lines" = 0 ]; then
		echo "$size"
	else
		grep -a -c -E '\bok [0-9]+ ' "$log.console" || :
	fi
}

# The test file and its last line, and the kernel's.
place() {
	local said
	said=$(awk '/^# file / { file = $3 ": " } { last = $0 } END { if (NR) print file last }' "$log.out")
	echo "${said:+$said; }its kernel's last line: $(tr -d '\r' <"$log.console" | tail -n 1)"
}

# Shows the output as it comes, until the guest ends (0) or has printed nothing for too long (1).
# (tail -f once showed nothing of a file that QEMU had written.) On a loaded host, QEMU's emulation
# hangs early in one of some hundred boots, long before any code of the project runs: such a guest is
# rebooted once, and its log kept (2).
watch() {
	local seen=0 alive=1 lines=0 size='' heard='' now last=$SECONDS
	while [ -n "$alive" ]; do
		pause 0.2
		kill -0 "$job" 2>/dev/null || alive=
		now=$(stat -c %s "$log.out" "$log.console")
		if [ "$now" != "$size" ]; then
			size=$now
			lines=$(wc -l <"$log.out")
			now="${size%%$'\n'*} $(logged)"
			[ "$now" = "$heard" ] || { heard=$now last=$SECONDS; }
		fi
		silent=$((SECONDS - last))
		if [ "$alive$lines" = 10 ] && [ $silent -ge "$still_limit" ] && [[ $heard != *stalled ]] && ! ours; then
			return 2
		elif [ -n "$alive" ] && [ $silent -ge "$limit" ]; then
			alive='' result=1
		fi
		[ "$lines" -gt "$seen" ] || continue
		head -n "$lines" "$log.out" | tail -n +$((seen + 1)) | grep -a -v '^guest ' || true
		seen=$lines
	done
	return $result
}

number TEST_LIMIT "$limit" 1 99999
still_limit=${STILL_LIMIT:-$(((${TEST_LIMIT:-300} + 3) / 4))}
number STILL_LIMIT "$still_limit" 1 99999
rm -f "$log.console.first"
for try in first second; do
	: > "$log.console"
	: > "$log.out"
	# It ends with this script, however that ends.
	setpriv --pdeathsig KILL "${enter[@]}" "${qemu[@]}" -append "$append run=\"$*\"" \
		-serial "file:$log.console" -serial "file:$log.out" "${second[@]}" < /dev/null > "$log.qemu" 2>&1 &
	job=$!
	silent=0 result=0
	watch || result=$?
	[ $result != 0 ] || break
	stop_job
	[ $result = 2 ] || die "$name: the guest printed nothing for $silent s, after: $(place) (build/log/$name.console)"
	[ $try = first ] || die "$name: the guest stood still in its boot for $silent s, twice; its log is build/log/$name.console"
	echo "$name: the guest stood still in its boot for $silent s, after: $(tr -d '\r' <"$log.console" | tail -n 1); booted again" >&2
	mv -f "$log.console" "$log.console.first"
done
{ wait $job; } 2> /dev/null || : # bash has a line of its own for a killed job
job=

complaint=$(complaint "$log.console")
[ -z "$complaint" ] || die "$name: the guest's kernel complained: $complaint (build/log/$name.console)"
result=$(sed -n 's/^guest exit //p' "$log.out")
[ -n "$result" ] || die "$name: the guest died: $(cat "$log.qemu" "$log.console" | tr -d '\r' | tail -n 1)"
if grep -q -x CONFIG_KCSAN=y "$build/.config"; then
	status=0
	scripts/enter.sh python3 scripts/kcsan.py "$build" "build/log/$name.console" >"$log.kcsan" || status=$?
	[ $status -lt 2 ] || die "$name: the data races can't be judged"
	grep '^kcsan: .* reports in all' "$log.kcsan" >&2
	[ $status = 0 ] || die "$name: the kernel reports a data race that scripts/kcsan.tsv doesn't have: see build/log/$name.kcsan"
fi
exit "$result"
