try { await import("chalk"); } catch (error) { console.log(error.code); }
const name = "fs"; const { existsSync } = await import(`node:${name}`); console.log(existsSync("/skill/SKILL.md"));
