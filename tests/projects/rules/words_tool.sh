#!/bin/bash
out=$1
{
  echo "[$2] $VALUE"
  cat "${3#--list=}"
} > "$out"
