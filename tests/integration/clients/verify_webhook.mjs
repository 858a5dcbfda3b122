// Verifies one delivery with the standardwebhooks package: {secret, headers, body} on standard input. Prints the type.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { Webhook } = createRequire(`${process.env.NPM}/package.json`)("standardwebhooks");
const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
console.log(new Webhook(secret).verify(body, headers).type);
