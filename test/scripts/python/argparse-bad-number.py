import argparse
parser = argparse.ArgumentParser(prog="tool")
parser.add_argument("n", type=int)
print(parser.parse_args().n)
