#!/bin/bash
# Asks, and goes by the answers.
while true; do
  read -rp "choice> " choice args || break
  case "$choice" in
    hi|hello) echo "hello ${args:-you}" ;;
    add) set -- $args; echo $(( $1 + $2 )) ;;
    quit|q) echo bye; exit 0 ;;
    "") continue ;;
    *) echo "unknown: $choice" ;;
  esac
done
echo "end of input"
exit 1
