#!/bin/bash
# Prints a table of contents of a Markdown file.
file="$1"
[ -r "$file" ] || { echo "cannot read: $file" >&2; exit 1; }
in_code=0
while IFS= read -r line || [ -n "$line" ]; do
  case "$line" in
    '```'*) in_code=$((1 - in_code)) ;;
    '#'*)
      [ "$in_code" -eq 1 ] && continue
      hashes="${line%%[!#]*}"
      title="${line#"$hashes"}"
      title="${title# }"
      depth=${#hashes}
      slug=$(echo "$title" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 -]//g; s/ +/-/g')
      printf '%*s- [%s](#%s)\n' $(( (depth - 1) * 2 )) '' "$title" "$slug"
      ;;
  esac
done < "$file"
