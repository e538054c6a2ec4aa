#!/bin/bash
# Files by ending, with sizes.
dir="${1:-.}"
find "$dir" -type f | sort | while read -r f; do
  ext="${f##*.}"
  [[ "$f" == *.* ]] || ext="none"
  echo "$ext $(wc -c < "$f")"
done | awk '{ n[$1]++; s[$1] += $2 } END { for (e in n) print s[e], n[e], e }' | sort -rn | while read -r size n ext; do
  printf '.%-6s %4d files %8d bytes\n' "$ext" "$n" "$size"
done
