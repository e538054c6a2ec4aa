#!/bin/bash
# Checks the frontmatter of SKILL.md files below a folder.
set -uo pipefail
ROOT="${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
problems=0
report() { echo "  ✗ $1"; problems=$((problems + 1)); }

while IFS= read -r -d '' file; do
  echo "${file#"$ROOT"/}"
  if [[ "$(head -n 1 "$file")" != "---" ]]; then
    report "no frontmatter"
    continue
  fi
  meta=$(sed -n '2,/^---$/p' "$file" | sed '$d')
  for key in name description; do
    grep -q "^$key:" <<< "$meta" || report "no $key"
  done
  name=$(grep '^name:' <<< "$meta" | head -1 | cut -d: -f2- | xargs)
  [[ -n "$name" && ! "$name" =~ ^[a-z0-9-]+$ ]] && report "name '$name' is not kebab-case"
done < <(find "$ROOT" -name SKILL.md -print0 | sort -z)

echo
echo "$problems problem(s)"
exit $(( problems > 0 ? 1 : 0 ))
