#!/bin/sh
grep -q "ONE TWO" lib/joined.txt
