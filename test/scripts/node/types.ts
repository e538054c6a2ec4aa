interface Row { id: number; name: string }
type Kind = "a" | "b";
const rows: Row[] = [{ id: 1, name: "x" }];
function first<T>(list: T[]): T | undefined { return list[0]; }
console.log(first(rows)!.name, ("b" as Kind), (rows as unknown as object[]).length satisfies number);
