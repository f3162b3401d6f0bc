#!/bin/sh
# Writes its words to the file that the first one names, or copies the parameter file.
case $1 in
@*)
	eval "output=$(head -n 1 "${1#@}")"
	cp "${1#@}" "$output"
	;;
*)
	output=$1
	shift
	printf '%s\n' "$@" >"$output"
	;;
esac
