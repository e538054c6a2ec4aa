#!/usr/bin/env bash
# The entries of one version.
set -euo pipefail
version="${1:-}"
file="${2:-CHANGELOG.md}"
[[ -z $version ]] && version=$(grep -m1 -oE '^## \[?[0-9]+\.[0-9]+\.[0-9]+' "$file" | grep -oE '[0-9.]+$')
entries=$(awk -v v="$version" '
  /^## / { on = index($0, v) > 0; next }
  on && /^- / { sub(/^- /, ""); print }
' "$file")
if [[ -z "$entries" ]]; then echo "nothing about $version" >&2; exit 1; fi
echo "Release $version ($(wc -l <<< "$entries" | tr -d ' ') changes)"
mapfile -t lines <<< "$entries"
for i in "${!lines[@]}"; do printf '%2d. %s\n' $((i + 1)) "${lines[i]^}"; done
