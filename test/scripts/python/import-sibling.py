import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import importlib.util
spec = importlib.util.spec_from_loader("made", loader=None)
made = importlib.util.module_from_spec(spec); exec("X = 5", made.__dict__)
print(made.X, os.path.basename(__file__), __name__, __doc__)
