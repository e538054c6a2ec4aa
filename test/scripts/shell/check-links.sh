#!/bin/bash
# Tells local links of Markdown files that lead nowhere.
cd "$(dirname "$0")/.." || exit 1
broken=0
while IFS=: read -r file line match; do
  target=$(sed -E 's/.*\]\(([^)#]+).*/\1/' <<< "$match")
  case "$target" in http*|mailto:*) continue ;; esac
  if [[ ! -e "$(dirname "$file")/$target" ]]; then
    echo "$file:$line -> $target"
    ((broken++))
  fi
done < <(grep -rnoE '\[[^]]+\]\([^)]+\)' --include='*.md' . | sort)
echo "$broken broken"
exit "$((broken != 0))"
