total = 0
while True:
    try: line = input("> ")
    except EOFError: break
    if line == "stop": break
    total += int(line)
print("=", total)
