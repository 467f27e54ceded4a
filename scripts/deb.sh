#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# deb.sh: Debian's kernel for clouds with zswap and the swap cache in Rust, as a package; then a stock Debian, which boots by
# its own GRUB, installs it, swaps under it, removes it, and boots its first kernel again (tests/deb/guest.sh).
#
# A run that was stopped goes on where it was. The package and Debian's files get their names when they are whole.
. "$(dirname "$0")/lib.sh"
work=build/deb limit=${TEST_LIMIT:-600} # seconds in which the guest may print nothing
number TEST_LIMIT "$limit" 1 99999
mkdir -p $work/objects
lock build/log/deb.lock
scripts/toolchain.sh deb
scripts/cache.sh config
export ENTER_ROOT=$DEB_ROOT STORE=8G

# --- The package ----------------------------------------------------------------------

# By GCC, as Debian's own.
need_space build $((8000 - $(du -sm $work/objects | cut -f1))) "a distribution's kernel"
make=(make -C build/src O="$TOP/$work/objects" -j"$JOBS" "${KBUILD[@]:1}" "CC=$TOP/scripts/cc.sh gcc")
mkdir -p "$CACHE/ccache"
cat "$CACHE/config-7.3-cloud" scripts/deb.config >$work/objects/.config
step "config deb" scripts/enter.sh "${make[@]}" olddefconfig
while read -r line; do
	grep -q -x -F "$line" $work/objects/.config || die "the kernel's Kconfig refuses $line: see its dependencies"
done < <(grep ^CONFIG_ scripts/deb.config)
# The kernel by the rules of its package, too: in a make that another one runs, a flag of rustc is there twice (arch/x86's
# RETPOLINE_RUSTFLAGS), for which all Rust would be compiled again. apt doesn't install a version again: each commit has its own.
rm -f build/linux-image-*.deb $work/linux-*
STEP_LINES=14800 step "package" scripts/enter.sh env DEB_BUILD_PROFILES="pkg.linux-upstream.nokernelheaders pkg.linux-upstream.nokerneldbg" \
	"${make[@]}" KDEB_PKGVERSION="$(kernel_version build/src)-$(git rev-list --count HEAD 2>/dev/null || echo 1)" DPKG_FLAGS=--no-check-builddeps bindeb-pkg
version=$(cat $work/objects/include/config/kernel.release)
package=build/linux-image-$version.deb
mv $work/linux-image-"$version"_*.deb "$package"

# --- A stock Debian -------------------------------------------------------------------

# GRUB writes itself to the disk in the first boot, as the installer has it do.
include=systemd-sysv,dbus,linux-image-cloud-amd64,initramfs-tools,grub-pc,zstd
debian=$work/debian-$(sha256sum <<<"$STABLE $include" | cut -c1-12).tar
if [ ! -f "$debian" ]; then
	# Other ids can't access a private home.
	need_space /var/tmp 2000 "making a Debian"
	need_space build 1000 "a Debian"
	scratch=$debian.new
	make_root=(env TMPDIR=/var/tmp mmdebstrap --variant=important --include="$include" --format=tar "$STABLE" "$scratch")
	[ "$(id -u)" != 0 ] || make_root=(unshare --mount "${make_root[@]}")
	attempt "debian" "${make_root[@]}" || explain "$LOG" "can't make a Debian"
	mv "$scratch" "$debian"
	scratch=
fi
disk=$work/disk.img
need_space build 5000 "its disk"
# shellcheck disable=SC2016 # expanded in the root
step "disk" scripts/enter.sh bash -euc '
	cd "$1"
	rm -rf disk.img boot files
	mkdir -p boot files/{root,etc/systemd/system/multi-user.target.wants}
	tar -x -C boot --strip-components=2 --wildcards -f "$2" "./boot/vmlinuz-*" "./boot/initrd.img-*"
	cp "$3" files/root/linux-image.deb
	cp "$4" files/root/guest.sh
	printf "%s\n" "[Service]" "Type=oneshot" "ExecStart=/bin/bash /root/guest.sh" "[Unit]" "After=multi-user.target" >files/etc/systemd/system/guest.service
	ln -s ../guest.service files/etc/systemd/system/multi-user.target.wants/
	cp "$2" debian.tar
	(cd files && find . ! -type d | tar -r -f ../debian.tar --owner=0 --group=0 -T -)
	truncate -s 6G disk.img
	echo "start=2048, type=83, bootable" | sfdisk -q disk.img
	mke2fs -q -t ext4 -d debian.tar -E offset=1048576 disk.img 6289408k
	rm -rf debian.tar files' disk "$TOP/$work" "$TOP/$debian" "$TOP/$package" "$TOP/tests/deb/guest.sh"

# boots ARGUMENT...: the machine until it ends
boots() {
	local tee status=0
	exec 5> >(exec tee -a build/log/deb.out)
	tee=$!
	heard "$limit" setpriv --pdeathsig KILL scripts/enter.sh qemu-system-x86_64 -nodefaults -display none -accel "$accel" -cpu max -smp 2 -m 1G \
		-drive if=virtio,format=raw,cache=unsafe,file=$disk -serial "file:build/log/deb.console" -serial stdio "$@" </dev/null >&5 || status=$?
	exec 5>&-
	wait $tee # until all is in the file
	[ $status = 0 ] ||
		die "the guest failed: see $TOP/build/log/deb.out and deb.console"
}
unset ENTER_ROOT
accel=$(scripts/accel.sh)
: >build/log/deb.out
boots -no-reboot -kernel $work/boot/vmlinuz-* -initrd $work/boot/initrd.img-* -append "root=/dev/vda1 rw console=ttyS0"
boots
rm -f $disk
! grep '^not ok' build/log/deb.out || die "the guest failed: see $TOP/build/log/deb.out"
grep -q -x 'guest done' build/log/deb.out || die "the guest ended before its last point: see $TOP/build/log/deb.out and deb.console"
complaint=$(complaint build/log/deb.console)
[ -z "$complaint" ] || die "the guest's kernel complained: $complaint (build/log/deb.console)"
echo "$package: $(grep -c '^ok' build/log/deb.out) points passed"
