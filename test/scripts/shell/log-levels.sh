#!/usr/bin/env bash
# Counts levels in a log and shows the most frequent errors.
declare -A count
total=0
while read -r _ level rest; do
  [[ "$level" =~ ^(DEBUG|INFO|WARN|ERROR)$ ]] || continue
  count[$level]=$(( ${count[$level]:-0} + 1 ))
  ((total++))
  [[ $level == ERROR ]] && errors+=("$rest")
done < <(cat "${1:--}")
echo "total: $total"
for level in DEBUG INFO WARN ERROR; do
  printf '%-6s %3d\n' "$level" "${count[$level]:-0}"
done
if (( ${#errors[@]} > 0 )); then
  echo "errors:"
  printf '%s\n' "${errors[@]}" | sort | uniq -c | sort -rn | head -3 | sed 's/^ *//'
  exit 1
fi
