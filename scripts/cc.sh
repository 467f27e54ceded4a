#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# cc.sh COMPILER ARGUMENT...: a compiler by ccache, for a kernel. In depend mode a miss is compiled at once, and not preprocessed to look for a
# hit. But ccache then doesn't notice .incbin, which these files may have: bzImage would keep an older kernel.
case "$*" in
*.S | */configs.c | */kheaders.c) ;;
*) export CCACHE_DEPEND=1 ;;
esac
exec ccache "$@"
