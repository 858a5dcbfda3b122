// The bench's schema cases on ajv's compiled, warm validators. Usage:
//   build/release/bench/json/json_bench --cases | node bench/json/ajv_bench.mjs <node_modules/ajv>
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(import.meta.url);
const Ajv = require(resolve(process.argv[2], 'dist/2020.js')).default;
const cpuNs = () => { const used = process.cpuUsage(); return (used.user + used.system) * 1000; };

function measure(work) {
  for (let i = 0; i < 200000; ++i) work();
  const rounds = [];
  for (let round = 0; round < 31; ++round) {
    const start = cpuNs();
    for (let i = 0; i < 20000; ++i) work();
    rounds.push((cpuNs() - start) / 20000);
  }
  return rounds.sort((left, right) => left - right)[15];
}

for (const { name, schema, instance } of JSON.parse(readFileSync(0, 'utf8'))) {
  const validate = new Ajv({ strict: false, logger: false }).compile(schema);
  let valid = 0;
  const median = measure(() => { valid += validate(instance) ? 1 : 0; });
  console.log(`${name.padEnd(40)} ${median.toFixed(0).padStart(8)} ns  (${valid > 0 ? 'valid' : 'invalid'})`);
}
