#!/bin/bash
# URL and other encodings.
urlencode() {
  local s="$1" c out=""
  for ((i = 0; i < ${#s}; i++)); do
    c="${s:i:1}"
    case "$c" in
      [a-zA-Z0-9.~_-]) out+="$c" ;;
      *) printf -v c '%%%02X' "'$c"; out+="$c" ;;
    esac
  done
  echo "$out"
}
urlencode "a b&c=d/e?f"
echo -n "secret" | base64
echo -n "c2VjcmV0" | base64 -d; echo
echo -n "secret" | sha256sum | awk '{print $1}'
printf 'caf\xc3\xa9' | od -An -tx1
