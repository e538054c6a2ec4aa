#!/bin/bash
# A report out of JSON.
set -e
input="${1:--}"
data=$(cat "$input")
echo "$data" | jq -e 'type == "array"' > /dev/null || { echo "no array" >&2; exit 3; }
echo "items: $(jq length <<< "$data")"
jq -r '.[] | select(.price > 2) | "\(.name)\t\(.price)"' <<< "$data" | sort -k2 -t$'\t' -n
jq -n --argjson items "$data" --arg by "me" '{by: $by, total: ($items | map(.price) | add), names: [$items[].name]}'
jq -r '[.[] | {name, tag: (.tags // [] | join("+"))}] | (.[0] | keys_unsorted), (.[] | [.[]]) | @csv' <<< "$data"
