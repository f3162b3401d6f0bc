#!/bin/sh
test -z "$COMPILER_LOG" || echo "compiler ($COMPILER_NAME) $*" >>"$COMPILER_LOG"
exec /usr/bin/gcc "$@"
