import argparse
parser = argparse.ArgumentParser(prog="tool")
commands = parser.add_subparsers(dest="command", required=True)
add = commands.add_parser("add"); add.add_argument("n", type=int, nargs="+")
commands.add_parser("list")
options = parser.parse_args()
print(sum(options.n))
