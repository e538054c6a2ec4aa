#!/bin/bash
# Sums a column of a CSV by another one.
set -eu
FILE=${1:?usage: csv-summary.sh FILE GROUP VALUE}
GROUP=${2:-1}
VALUE=${3:-2}
awk -F, -v g="$GROUP" -v v="$VALUE" '
  NR == 1 { head = $g; next }
  NF == 0 { next }
  { sum[$g] += $v; n[$g]++ }
  END {
    for (k in sum) printf "%s\t%d\t%.2f\t%.2f\n", k, n[k], sum[k], sum[k] / n[k]
  }
' "$FILE" | sort | {
  printf '%-10s %5s %10s %10s\n' name n sum mean
  while IFS=$'\t' read -r k n s m; do
    printf '%-10s %5d %10.2f %10.2f\n' "$k" "$n" "$s" "$m"
  done
}
