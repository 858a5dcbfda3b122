#!/usr/bin/env node
// Makes docs/console.png, the picture in the README: the console of a host with some calls and a pending approval.
//
//   build/npm/node_modules/.bin/node scripts/console_picture.mjs [build/dev [docs/console.png]]
//
// The script needs the packages that `scripts/bootstrap --tests` installs.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const [build = join(root, 'build/dev'), picture = join(root, 'docs/console.png')] = process.argv.slice(2);
const { chromium } = createRequire(join(root, 'build/npm/package.json'))('playwright-core');

const home = mkdtempSync(join(tmpdir(), 'toolpost-picture-'));
const config = join(home, 'config.toml');
writeFileSync(config, `[plugin.warehouse]\nenabled = true\n`);
const host = spawn(join(build, 'toolpost'), ['serve', '--config', config, '--listen', '127.0.0.1:0'],
  { env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '' }, stdio: ['ignore', 'ignore', 'pipe'] });
const ended = new Promise((done) => host.on('exit', done));

// The link to the console, from the host's output.
const link = await new Promise((found, failed) => {
  let said = '';
  host.stderr.on('data', (text) => {
    said += text;
    const at = said.match(/http:\/\/127\.0\.0\.1:\d+\/\S*#\S+/);
    if (at) found(at[0]);
  });
  host.on('exit', () => failed(new Error(said)));
});

function call(name, args) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return fetch(new URL('/mcp', link), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
    .then((answer) => answer.text(), () => '');
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox', '--disable-gpu'] });
try {
  await call('greet', { name: 'world' });
  await call('get_current_time', { timezone: 'Europe/Berlin' });
  await call('get_stock', {});
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 }, locale: 'en-GB' });
  await page.goto(link);
  call('pre_move_stock', { item: 'bolt-m8', from: 1, to: 2, quantity: 40, reason: 'The shop runs low' });
  await page.getByRole('article').first().waitFor();
  await page.screenshot({ path: picture });
} finally {
  await browser.close();
  host.kill();
  await ended;
  rmSync(home, { recursive: true });
}
