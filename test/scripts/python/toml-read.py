import tomllib
print(tomllib.loads('[a]\nb = [1, 2]\nc = 2024-01-02\n[a.d]\ne = "x"'))
