console.log("not printed");
import { nothing } from "../lib/not-there.mjs";
