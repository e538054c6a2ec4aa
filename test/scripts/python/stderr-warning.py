import sys, warnings
warnings.simplefilter("ignore")
warnings.warn("old")
print("to stderr", file=sys.stderr); print("to stdout", end=""); sys.stdout.write("!\n")
