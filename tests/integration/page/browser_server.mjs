// Starts the browser in which all scenarios run, prints its address, and ends it when standard input ends.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.argv[2], 'package.json'));
const { chromium } = require('playwright-core');

const server = await chromium.launchServer({
  host: '127.0.0.1',
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
console.log(server.wsEndpoint());
process.stdin.resume();
process.stdin.on('end', async () => {
  await server.close();
  process.exit(0);
});
