#!/bin/bash
verbose=0
out=""
while getopts ":vo:n:h" opt; do
  case $opt in
    v) verbose=$((verbose + 1)) ;;
    o) out="$OPTARG" ;;
    n) n="$OPTARG" ;;
    h) echo "usage: getopts.sh [-v] [-o FILE] [-n N] ARG..."; exit 0 ;;
    :) echo "-$OPTARG needs a value" >&2; exit 2 ;;
    \?) echo "no option -$OPTARG" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
echo "verbose=$verbose out=${out:-none} n=${n:-0} rest=$*"
for ((i = 0; i < ${n:-0}; i++)); do echo "$i: ${1:-}"; done
