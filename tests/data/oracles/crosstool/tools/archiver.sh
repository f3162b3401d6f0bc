#!/bin/sh
test -z "$COMPILER_LOG" || echo "archiver $*" >>"$COMPILER_LOG"
exec /usr/bin/ar "$@"
