import unittest, sys, io
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1 + 1, 2)
    def test_b(self): self.fail("no")
result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
print(result.testsRun, len(result.failures)); sys.exit(not result.wasSuccessful())
