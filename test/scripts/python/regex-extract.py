import re, sys
text = sys.stdin.read()
print(re.findall(r"[\w.+-]+@[\w-]+\.\w+", text), re.sub(r"(?P<y>\d{4})-(?P<m>\d\d)", r"\g<m>/\g<y>", text).strip())
print([m.span() for m in re.finditer(r"(?i)\bto\b", text)])
