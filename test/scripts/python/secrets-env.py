import os, platform, secrets, shlex, getpass
print(os.environ.get("API_KEY", "no key"), len(secrets.token_hex(8)), shlex.split("a 'b c' d"), os.sep, os.getcwd() == os.path.realpath("."))
if not os.environ.get("API_KEY"): raise SystemExit(2)
