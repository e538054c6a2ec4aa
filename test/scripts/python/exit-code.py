import atexit, sys
atexit.register(lambda: print("cleaned up"))
def main() -> int:
    print("checking"); return 3
if __name__ == "__main__": sys.exit(main())
