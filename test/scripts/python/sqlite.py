import sqlite3
db = sqlite3.connect("data.db")
db.execute("create table t(name text, n integer)")
db.executemany("insert into t values (?, ?)", [("a", 1), ("b", 5), ("a", 2)])
db.commit()
print(db.execute("select name, sum(n) from t group by name order by 2 desc").fetchall(), db.total_changes)
db.close()
