total = 0; for (i = 0; i < 3; i++) total += i; console.log(total, 017, typeof this, this === module.exports, (function () { return this === globalThis })(), arguments.length);
with ({ a: 5 }) console.log(a);
return console.log("returned");
