#!/bin/bash
cat "$0.runfiles/other/greeting.txt"
