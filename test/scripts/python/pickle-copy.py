import copy, pickle, shelve, struct, array
class P:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return self.x == o.x
p = P([1, {2}]); q = pickle.loads(pickle.dumps(p)); r = copy.deepcopy(p); r.x.append(3)
print(p == q, p == r, struct.unpack(">IhB", struct.pack(">IhB", 70000, -2, 9)), array.array("d", [1, 2]).itemsize)
