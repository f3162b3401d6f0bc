#!/bin/sh
set -eu
test "$("$1" shell)" = "Hello, shell!"
