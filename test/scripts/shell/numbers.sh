#!/bin/bash
# Arithmetic in the shell and in awk.
a=17 b=5
echo $((a / b)) $((a % b)) $((a ** 2)) $((a << 2)) $((0x1f)) $((2#101)) $(( a > b ? 1 : 0 ))
printf '%05d|%x|%o|%e|%.3f|%+d\n' 42 255 8 12345.678 3.14159 7
awk 'BEGIN { printf "%.4f %d %s\n", sqrt(2), int(7.9), substr("hello", 2, 3) }'
let "c = a + b"; echo "$c"
((a++)); ((b -= 2)); echo "$a $b"
seq -s, 1 2 9
echo {1..5} {a..e} {01..03} {10..0..5}
expr 6 \* 7
