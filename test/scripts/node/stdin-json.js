let body = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => (body += chunk));
process.stdin.on("end", () => {
  try {
    const { items } = JSON.parse(body);
    process.stdout.write(JSON.stringify({ count: items.length, sum: items.reduce((s, i) => s + i.n, 0) }) + "\n");
  } catch (error) {
    console.error("bad input:", error.message);
    process.exit(65);
  }
});
