# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# boot: zswap.enabled=N
# Invalid and extreme values are written to every parameter: the errno and the value read back are
# compared with C's, line by line (params.expected). Regenerated on the C kernel by
#   for on in 1 0; do IMPL=c scripts/vm.sh -a zswap.enabled=$on sh params.sh record; done
. ./lib.sh

# Writing to `enabled` sets zswap up, and C's answers differ before and after.
[ -d $DEBUG ] && state=after || state=before

# try PARAM VALUE: \n in VALUE is a newline, @N is N times the letter a
try()
{
	case $2 in
	@*) value=$(printf "%${2#@}s" '' | tr ' ' a) ;;
	*) value=$(printf '%bx' "$2") value=${value%x} ;;
	esac
	result=$(put $PARAM/"$1" "$value")
	reads=$(tr '\n' ' ' < $PARAM/"$1" | cut -c1-40)
	echo "$state|$1|$2|$result|$reads"
}

table()
{
	set_param compressor lz4
	for param in max_pool_percent accept_threshold_percent; do
		for value in '' ' ' 0 1 33 '33\n' ' 33' '33 ' -1 -0 +5 101 1.5 0x10 010 maybe \
			4294967295 4294967296 18446744073709551616 @2000 @4095 @5000; do
			try $param "$value"
		done
	done
	for value in '' ' ' '\n' bogus LZ4 lz4 'lz4\n' ' lz4 ' 'zstd\n\n' 'lz4\nzstd' lz4hc lzo-rle \
		'842 842' -1 @31 @64 @127 @128 @1023 @1024 @2000 @4095 @5000 deflate; do
		try compressor "$value"
	done
	for param in shrinker_enabled enabled; do
		for value in '' ' ' maybe -1 2 Yes true 'Y\n' ' Y' N 0 n off on y 1 @2000; do
			try $param "$value"
		done
	done
}

# The limit is a percentage of a percentage: in C the product wraps.
stores()
{
	set_param compressor lz4
	swap_on brd
	for limits in "0 4294967295" "4294967295 0" "4294967295 4294967295" "1 4294967295" "20 90"; do
		set_param max_pool_percent "${limits% *}"
		set_param accept_threshold_percent "${limits#* }"
		start a 0
		with a map 1024 4
		with a fill last 1
		with a out
		echo "$state|stores under|$limits|$(debug stored_pages)|$(ask a check)"
		stop a
	done
	swap_off
}

all() { table; stores; }

if [ "$1" = record ]; then
	all
	exit
fi

grep "^$state|" params.expected > /run/want
plan "$(wc -l < /run/want)"
all > /run/got
exec 4< /run/want
while IFS= read -r got; do
	IFS= read -r want <&4
	name=${got#*|}
	point "$state setup: ${name%|*|*}" "$got" "$want"
done < /run/got
