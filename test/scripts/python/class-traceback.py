class Broken(Exception):
    pass
class Thing:
    def work(self):
        try: {}["key"]
        except KeyError as e: raise Broken("no such key") from e
print("before"); Thing().work()
