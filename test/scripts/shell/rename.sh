#!/bin/bash
# Renames files to kebab-case; -n only says what it would do.
shopt -s nullglob
dry=false
[[ "$1" == "-n" ]] && { dry=true; shift; }
cd "${1:-.}" || exit 1
for f in *.{txt,MD,md}; do
  new=$(echo "${f,,}" | sed -E 's/[ _]+/-/g')
  [[ "$f" == "$new" ]] && continue
  if $dry; then
    echo "would: $f -> $new"
  else
    mv -- "$f" "$new" && echo "$f -> $new"
  fi
done
ls | sort
