#!/usr/bin/env node
// What hosts take for the user's browser: it hands the address on to the one that the trial drives.

await fetch(process.env.TRIED_BROWSER, { method: "POST", body: process.argv[2] });
