const rows = [["b", 2], ["a", 10], ["c", 1]];
console.log(rows.toSorted((x, y) => x[1] - y[1]).map(([k, v]) => `${k.padEnd(4)}|${String(v).padStart(4)}`).join("\n"));
console.log(new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(1234.5), new Date(Date.UTC(2024, 0, 31)).toISOString(), (1234.5678).toFixed(2), (0.1 + 0.2).toLocaleString("en"), Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even")));
