#!/bin/sh
test -z "$COMPILER_LOG" || echo "other ($COMPILER_NAME) $*" >>"$COMPILER_LOG"
exec /usr/bin/gcc "$@"
