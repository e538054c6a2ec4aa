#!/usr/bin/env node
// Replaces the user's browser for hosts. It forwards the URL to the browser that the trial drives.

await fetch(process.env.TRIED_BROWSER, { method: "POST", body: process.argv[2] });
