// A browser with the page open, and an ear for whatever goes wrong in it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const options = JSON.parse(process.argv[2]);
const require = createRequire(join(options.npm, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

// For what waits on a loaded machine.
const kPatienceMs = 30000;

const browser = await chromium.connect(options.browser);

// Ends what this process opened in the browser. The browser stays for the next scenario.
export const leaveBrowser = () => browser.close();

// Answers of the host that a page meets on its way, and that the browser reports as errors.
const expected = /^Failed to load resource: the server responded with a status of (401|403|409|412) /;

export class Visitor {
  faults = [];

  static async create() {
    const visitor = new Visitor();
    const viewport = { width: 1100, height: 900 };
    visitor.context = await browser.newContext({ viewport, locale: 'en-GB' });
    visitor.context.setDefaultTimeout(kPatienceMs);
    await visitor.context.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
        console.error(`refused by the policy: ${violatedDirective} ${blockedURI} ${sample}`));
    });
    visitor.page = await visitor.context.newPage();
    visitor.listen(visitor.page);
    return visitor;
  }

  // Logged in, with the calls that wait in front.
  static async reviewer(link) {
    const visitor = await Visitor.create();
    await visitor.page.goto(link);
    await visitor.page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    return visitor;
  }

  listen(page) {
    page.on('pageerror', (error) => this.faults.push(`error: ${error.stack}`));
    page.on('dialog', (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !expected.test(text)) this.faults.push(`console: ${text}`);
    });
  }

  // The card of the call whose arguments hold `text`.
  card(text) {
    return this.page.getByRole('article').filter({ hasText: text });
  }

  press(name, card = this.page) {
    return card.getByRole('button', { name }).click();
  }

  async go(hash) {
    await this.page.evaluate((to) => { location.hash = to; }, hash);
  }

  // A request as the page itself sends it, with the secret of its login: {status, body}.
  ask(path, { method = 'GET', body } = {}) {
    return this.page.evaluate(async ([to, verb, text]) => {
      const headers = { 'Content-Type': 'application/json', 'X-Toolpost-Login': localStorage.getItem('toolpost-login') };
      const answer = await fetch(to, { method: verb, headers, body: text });
      return { status: answer.status, body: await answer.json().catch(() => null) };
    }, [path, method, body]);
  }

  // What axe finds on the page as it is now, by the named rules, or by all rules that are on by default.
  async accessibilityFaults(...names) {
    if (!await this.page.evaluate(() => 'axe' in globalThis)) await this.page.evaluate(axe);
    const some = names.length ? { runOnly: { type: 'rule', values: names } } : {};
    const { violations } = await this.page.evaluate((rules) => globalThis.axe.run(document, rules), some);
    const told = (node) => `${node.html.slice(0, 200)} ${node.failureSummary}`;
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(told).join('\n')}`);
  }

  async close() {
    await this.context.close();
    assert.deepEqual(this.faults, []);
  }
}

export async function until(what, condition) {
  const end = Date.now() + kPatienceMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// A tool call by somebody who is no reviewer; the arguments are JSON text, so that numbers stay as they are.
export async function call(tool, argumentsText) {
  const params = `{"name":"${tool}","arguments":${argumentsText}}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${options.url}/mcp`, { method: 'POST', headers, body });
  const text = await response.text();
  const data = text.split('\n').filter((line) => line.startsWith('data: {'));
  const last = data.length ? data.at(-1).slice(6) : text;
  const { result } = JSON.parse(last);
  assert.ok(result, text);
  return { isError: result.isError === true, text: result.content.map((block) => block.text).join('\n') };
}

export const reserve = (order, more = {}) =>
  call('pre_reserve_stock', JSON.stringify({ order, item: 'bolt-m8', location: 1, quantity: 7, ...more }));

// Asks as reserve() does, for a tool that takes any arguments in `more`.
export const giveBack = (order, more) => call('pre_give_back', JSON.stringify({ order, more }));

export const orders = async () => JSON.parse((await call('get_orders', '{}')).text).orders;

// Another web site on this machine: pages by path. `cookies` are what browsers brought with them.
export async function otherSite(pages) {
  const cookies = [];
  const server = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? '');
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(pages[request.url] ?? '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, cookies, close: () => server.close() };
}
