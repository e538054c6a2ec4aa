#!/bin/bash
# Loads KEY=VALUE lines and shows what is set, values hidden.
set -a
ENV_FILE=${1:-.env}
if [ -f "$ENV_FILE" ]; then
  while IFS='=' read -r key value; do
    [[ -z $key || $key == \#* ]] && continue
    value="${value%\"}"
    value="${value#\"}"
    export "$key=$value"
  done < "$ENV_FILE"
else
  echo "No $ENV_FILE"
  exit 1
fi
set +a
for key in API_KEY API_URL MISSING; do
  if [[ -n "${!key:-}" ]]; then
    echo "$key: ${!key:0:3}$(printf '*%.0s' $(seq 1 $((${#key}))))"
  else
    echo "$key: (not set)"
  fi
done
env | grep -c '^API_'
