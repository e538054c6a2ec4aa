#!/bin/bash
s="The quick brown Fox"
echo "${#s} ${s:4:5} ${s/quick/slow} ${s// /_} ${s^^} ${s,,}"
path=/usr/local/share/doc.tar.gz
echo "${path##*/} ${path%/*} ${path%%.*} ${path#*.} ${path##*.}"
unset nothing
echo "${nothing:-default} ${nothing-} ${s:+set} ${nothing:+set}"
IFS=, read -ra parts <<< "a,b,,c"
echo "${#parts[@]} ${parts[0]} ${parts[3]} ${parts[*]}"
words=($s); echo "${words[-1]} ${words[@]:1:2} ${!words[@]}"
printf '%s\n' "${words[@]}" | rev | tac
printf '%q\n' "it's a \"test\""
echo -e "tab\there\nnew" | cat -A
[[ $s == The* && $s != *cat* ]] && echo match
