#!/bin/sh
# The ten most frequent words.
cat "${@:--}" | tr -cs '[:alpha:]' '\n' | tr 'A-Z' 'a-z' | grep -v '^$' | sort | uniq -c | sort -k1,1nr -k2 | head -n 10 |
  while read -r n word; do
    bar=$(printf '%*s' "$n" '' | tr ' ' '#')
    printf '%-8s %s %s\n' "$word" "$n" "$bar"
  done
