import re, sys
for line in sys.stdin:
    found = re.match(r"(#{1,6})\s+(.*?)\s*$", line)
    if found:
        title = found[2]
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        print("  " * (len(found[1]) - 1) + f"- [{title}](#{slug})")
