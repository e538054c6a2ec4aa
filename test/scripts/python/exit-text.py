import sys
print("working")
sys.exit("Error: it cannot be done")
