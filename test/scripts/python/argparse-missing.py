import argparse
parser = argparse.ArgumentParser(prog="tool")
parser.add_argument("file")
parser.parse_args()
