// Runs one scenario of people and browsers against a host that serves the page; exits 0 when every assertion
// held. Options: {url, links, npm, shots}.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Visitor, call, leaveBrowser, giveBack, options, orders, otherSite, reserve, until } from './browser.mjs';
import { codes } from './codes.mjs';
import { operating } from './operating.mjs';
import { reviewing } from './reviewing.mjs';
import { focus, link, looksRight, reviewed, secondLink, shown, tabTo, told } from './scene.mjs';

const views = ['approvals', 'approvals/all', 'rules', 'calls', 'tools', 'tools/pre_reserve_stock', 'tools/get_orders',
  'plugins', 'upstreams', 'webhooks', 'skills', 'activity', 'audit', 'codes', 'logins', 'rest'];

// What a view has once it is loaded; a tool has a form.
const loaded = { approvals: 'article', 'approvals/all': 'table', rules: 'table', calls: 'table', tools: 'table',
  plugins: 'article', upstreams: 'article', skills: 'article', activity: 'svg.chart', audit: 'table',
  codes: 'button', logins: 'table', rest: 'article' };

const tabsOf = async (visitor) => (await visitor.page.locator('#views a').allInnerTexts()).map((text) => text.split(' ')[0]);

async function open(visitor, view) {
  await visitor.go(`#/${view}`);
  await visitor.page.locator('main h1').waitFor();
  const wanted = loaded[view] ?? 'form';
  await visitor.page.locator(`main ${wanted}`).first().waitFor();
}

const scenarios = {
  ...codes,
  ...operating,
  ...reviewing,

  async link_logs_in_once() {
    const first = await Visitor.reviewer(link);
    assert.equal(new URL(first.page.url()).hash, '', 'the token stays in the address');
    assert.match(await first.page.title(), /^Approvals - Toolpost$/);
    const [cookie, ...others] = await first.context.cookies();
    assert.deepEqual(others, []);
    assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Strict', '/']);
    assert.equal(cookie.name, `__Host-toolpost-${new URL(options.url).port}`);
    assert.equal(await first.page.evaluate(() => document.cookie), '');
    await first.page.reload();
    await first.page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();

    const second = await Visitor.create();
    await second.page.goto(link);
    await second.page.getByText('This link was used or is too old.').waitFor();
    await second.page.getByLabel('Key').fill('not-a-key');
    await second.press('Log in');
    await second.page.getByText('This key is not known here.').waitFor();
    assert.deepEqual(await second.context.cookies(), []);
    assert.deepEqual(await second.accessibilityFaults(), []);

    const broken = await Visitor.create();
    await broken.page.goto(link.replace(/#login=.*/, '#login=%'));
    await broken.page.getByText('This link was used or is too old.').waitFor();
    await broken.close();

    await first.page.goto('about:blank');
    await first.page.goto(link);
    await first.page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();

    const secret = await first.page.evaluate(() => localStorage.getItem('toolpost-login'));
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
    assert.equal((await first.ask('/v1/login')).status, 200);
    await first.press('Log out');
    await first.page.getByLabel('Key').waitFor();
    assert.equal(await first.page.evaluate(() => localStorage.length), 0, 'the secret stays behind');
    assert.equal((await first.ask('/v1/approvals?state=all&limit=1')).status, 401);
    await first.context.addCookies([cookie]);
    await first.page.evaluate((one) => localStorage.setItem('toolpost-login', one), secret);
    assert.equal((await first.ask('/v1/login')).status, 401, 'the old cookie and secret still open');
    await first.close();
    await second.close();
  },

  async login_that_ends_elsewhere_is_told() {
    const visitor = await Visitor.reviewer(link);
    const other = await visitor.context.newPage();
    await other.goto(`${options.url}/#/plugins`);
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByLabel('Key').waitFor();
    await visitor.go('#/tools');
    await visitor.page.getByText('You were logged out.').waitFor();
    assert.equal(await visitor.page.title(), 'Log in - Toolpost');
    await visitor.close();
  },

  // Each view says what the key may not; nothing else breaks.
  async key_may_only_do_what_it_may() {
    const visitor = await Visitor.create();
    await visitor.page.goto(`${options.url}/#/tools`);
    await visitor.page.getByLabel('Key').fill(options.key);
    await visitor.press('Log in');
    await visitor.page.getByRole('link', { name: 'get_orders' }).waitFor();
    assert.deepEqual(await tabsOf(visitor), ['Sessions', 'Tools', 'Webhooks', 'Skills', 'Logins', 'REST']);
    for (const view of ['approvals', 'plugins']) {
      await visitor.go(`#/${view}`);
      await visitor.page.getByText(/^This could not be loaded: .* no scope /).waitFor();
      assert.deepEqual(await visitor.accessibilityFaults(), []);
    }
    await open(visitor, 'skills');
    const alerts = () => visitor.page.locator('[role=alert]:not(:empty)').allInnerTexts();
    await until('the skills are shown', () => visitor.page.locator('main .description').first().isVisible());
    assert.deepEqual(await alerts(), []);

    // However often it is pressed, one is registered, and its secret is shown.
    await open(visitor, 'webhooks');
    await visitor.page.getByLabel('URL').fill('https://hooks.example/toolpost');
    const registered = async () => (await visitor.ask('/v1/webhooks')).body.webhooks;
    await visitor.page.getByRole('button', { name: 'Register' }).dblclick();
    await visitor.page.getByText('which is shown only now').waitFor();
    assert.deepEqual([await alerts(), (await registered()).length], [[], 1]);
    await visitor.page.getByLabel('URL').focus();
    await visitor.page.keyboard.down('Enter');
    await visitor.page.keyboard.down('Enter');
    await visitor.page.keyboard.up('Enter');
    await until('another is registered', async () => (await registered()).length > 1);
    const { id } = (await registered()).at(-1);
    await visitor.page.getByText(`The secret of ${id}, which is shown only now`).waitFor();
    assert.equal((await registered()).length, 2);
    await visitor.close();
  },

  async reviewer_sees_only_what_it_may() {
    const visitor = await Visitor.create();
    await visitor.page.goto(options.url);
    await visitor.page.getByLabel('Key').fill(options.key);
    await visitor.press('Log in');
    await visitor.page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    assert.deepEqual(await tabsOf(visitor), ['Approvals', 'External', 'Rules', 'Codes', 'Logins', 'REST']);
    const had = { Approvals: 'Nothing waits for an answer.', External: 'No call waits for somebody', Rules: 'table', Codes: 'button', Logins: 'table', REST: 'article' };
    for (const tab of await tabsOf(visitor)) {
      await visitor.page.locator('#views').getByRole('link', { name: tab }).click();
      await visitor.page.getByRole('heading', { level: 1, name: tab }).waitFor();
      const seen = had[tab].includes(' ') ? visitor.page.getByText(had[tab]) : visitor.page.locator(`main ${had[tab]}`);
      await seen.first().waitFor();
      assert.deepEqual(await visitor.page.locator('[role=alert]:not(:empty)').allInnerTexts(), [], tab);
    }
    await visitor.close();
  },

  // Those that expire first come first; none is left out.
  async shows_every_call_that_waits() {
    await reviewed(async (reviewer, page) => {
      await page.getByText(`${options.waiting} calls wait for an answer.`).waitFor();
      const expires = new Map();
      for (let before = ''; before !== undefined;) {
        const { body } = await reviewer.ask(`/v1/approvals?state=pending&limit=1000${before}`);
        for (const record of body.approvals) expires.set(record.arguments.order, record.expires);
        before = body.older && `&before=${body.older}`;
      }
      assert.equal(expires.size, options.waiting);
      const cards = page.locator('main article.card');
      const order = async () => (await cards.locator('pre').allTextContents()).map((text) => text.match(/order-\d+/)[0]);
      const soonest = [...expires.values()].sort();
      assert.deepEqual((await order()).map((one) => expires.get(one)), soonest.slice(0, 100));
      for (let hidden = options.waiting - 100; hidden > 0; hidden -= 100)
        await page.getByRole('button', { name: `Show ${Math.min(hidden, 100)} more of ${hidden}` }).click();
      const all = await order();
      assert.equal(new Set(all).size, options.waiting);
      assert.deepEqual(all.map((one) => expires.get(one)), soonest);
      await cards.last().getByRole('button', { name: 'Reject' }).click();
      await page.getByText(`${options.waiting - 1} calls wait for an answer.`).waitFor();
    });
  },

  async key_logs_in() {
    const visitor = await Visitor.create();
    await visitor.page.goto(`${options.url}/#/tools`);
    await visitor.page.getByLabel('Key').fill(options.key);
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    await visitor.close();
  },

  async approves() {
    await reviewed(async (reviewer, page) => {
      await page.getByText('Nothing waits for an answer.').waitFor();
      const running = reserve('o-1');
      const card = reviewer.card('"o-1"');
      await card.waitFor();
      assert.equal(await page.title(), '(1) Approvals - Toolpost');
      await page.getByRole('link', { name: 'Approvals 1 waits' }).waitFor();
      assert.match(await shown(card), /Asked by\s+local/);
      assert.deepEqual(await orders(), []);
      await reviewer.press('Approve pre_reserve_stock', card);
      assert.equal((await running).isError, false);
      await card.getByText(/^Your answer was taken. Approved by /).waitFor();
      await until('the title counts none', async () => await page.title() === 'Approvals - Toolpost');
      assert.deepEqual((await orders()).map((order) => order.name ?? order.order), ['o-1']);
      await reviewer.go('#/approvals/all');
      await page.getByRole('row', { name: /pre_reserve_stock used local/ }).waitFor();
    });
  },

  // The caller was told that a person must approve, and went away: the yes is there when it calls again.
  async approves_for_a_caller_that_went_away() {
    await reviewed(async (reviewer, page) => {
      const pending = await reserve('o-1');
      assert.match(pending.text, /waits for a person's approval/);
      const card = reviewer.card('"o-1"');
      await reviewer.press('Approve pre_reserve_stock', card);
      await card.getByText(/^Your answer was taken. Approved by /).waitFor();
      assert.deepEqual(await orders(), []);
      assert.equal((await reserve('o-1')).isError, false);
      assert.equal((await orders()).length, 1);
      assert.match((await reserve('o-1')).text, /waits for a person's approval/);
      assert.equal((await orders()).length, 1);
      await page.getByRole('link', { name: 'Approvals 1 waits' }).waitFor();
    });
  },

  // The caller gave up on a question: the answer is there when it calls again.
  async answers_a_question() {
    await reviewed(async (reviewer, page) => {
      const hostile = 'Which branch? <img src=/stolen onerror=alert(1)>';
      const options = ['main', 'next'];
      const ask = (question, more) => call('ask_user', JSON.stringify({ question, ...more }));
      assert.match((await ask(hostile, { options })).text, /waits for a person's answer/);
      const card = reviewer.card('Which branch?');
      await card.getByText(hostile, { exact: true }).waitFor();
      await looksRight(reviewer, 'question');
      await reviewer.press('Answer the question', card);
      await card.getByText('An answer is needed.').waitFor();
      await card.getByLabel('Answer, which the model reads').selectOption('next');
      await reviewer.press('Answer the question', card);
      await card.getByText(/^Your answer was taken. Answered by /).waitFor();
      assert.deepEqual(await ask(hostile, { options }), { isError: false, text: 'next' });

      assert.equal((await ask('Who is the customer?')).isError, true);
      const text = reviewer.card('Who is the customer?');
      await text.getByLabel('Answer, which the model reads').fill('Ada\nLovelace');
      await reviewer.press('Answer the question', text);
      await text.getByText(/^Your answer was taken/).waitFor();
      assert.deepEqual(await ask('Who is the customer?'), { isError: false, text: 'Ada\nLovelace' });
      assert.equal((await ask('Who is the customer?')).isError, true, 'an answer is for one call');

      const declined = reviewer.card('Who is the customer?').filter({ has: page.getByRole('button') });
      await declined.getByLabel('Note, which the model reads if you decline').fill('ask sales');
      await reviewer.press('Decline to answer', declined);
      await page.getByText(/Declined by /).first().waitFor();
      await reviewer.go('#/approvals/all');
      await page.getByRole('row', { name: /ask_user used local/ }).first().waitFor();

      const send = async (path, body) => (await reviewer.ask(path, { method: 'POST', body: JSON.stringify(body) })).body;
      const { id: session } = await send('/v1/sessions', { customizations: {} });
      await reviewer.go(`#/sessions/${session}`);
      await page.getByRole('heading', { level: 1, name: 'Session' }).waitFor();
      await send(`/v1/tools/request/${session}`, { name: 'todo_write', arguments: { todos: [
        { content: 'read <b>this</b>', status: 'in_progress', priority: 'high' }] } });
      await page.getByRole('list', { name: 'Todos' }).getByText('in progress: read <b>this</b> (priority: high)').waitFor();
      await looksRight(reviewer, 'session-todos');
    });
  },

  async gives_a_code() {
    await reviewed(async (reviewer, page) => {
      const card = reviewer.card('"none"');
      const field = card.getByLabel('One-time code of anna, for a yes');
      await reviewer.press('Approve priv_approve_order', card);
      await card.getByRole('alert').getByText(/needs a one-time code of "anna"/).waitFor();
      await field.fill('000000');
      await reviewer.press('Approve priv_approve_order', card);
      await card.getByRole('alert').getByText(/is wrong/).waitFor();
      await field.fill(options.code);
      await reviewer.press('Approve priv_approve_order', card);
      await card.getByText(/Approved by page:operator/).waitFor();
    });
  },

  // As a client sends its person there: not logged in, to one of two that wait.
  async one_question_has_an_address() {
    const visitor = await Visitor.create();
    const { page } = visitor;
    await page.goto(options.question);
    await page.getByLabel('Key').fill(options.key);
    await visitor.press('Log in');
    const card = visitor.card('"none"');
    await card.waitFor();
    assert.equal(page.url(), options.question);
    await until('the title counts both', async () => await page.title() === '(2) One question - Toolpost');
    assert.equal(await page.getByRole('article').count(), 1);
    await looksRight(visitor, 'one-question');
    await card.getByLabel('One-time code of anna, for a yes').fill(options.code);
    await visitor.press('Approve priv_approve_order', card);
    await card.getByText(/^Your answer was taken. Approved by page:anna/).waitFor();

    const late = await visitor.context.newPage();
    visitor.listen(late);
    await late.goto(options.question);
    await late.getByText(/^Approved by page:anna/).waitFor();
    await late.getByRole('link', { name: 'All that wait' }).click();
    await late.getByRole('article').filter({ hasText: '"other"' }).waitFor();
    await late.close();
    await visitor.close();
  },

  async says_always() {
    await reviewed(async (reviewer) => {
      const card = reviewer.card('"k"');
      await card.getByText('tool = "kv_set"').waitFor();
      await card.getByLabel(/^Always, with a yes/).check();
      const reach = card.getByLabel('For whom, with always');
      assert.equal(await reach.inputValue(), 'principal');
      assert.deepEqual(await reach.getByRole('option').allTextContents(), ['calls of local', 'all calls of everybody']);
      assert.deepEqual(await reviewer.accessibilityFaults(), []);
      await reviewer.press('Approve kv_set', card);
      await card.getByText(/Approved by page:operator/).waitFor();
    });
  },

  async rejects_with_a_note() {
    await reviewed(async (reviewer, page) => {
      const running = reserve('o-1');
      const card = reviewer.card('"o-1"');
      await card.getByLabel('Note').fill('not on a Friday');
      await reviewer.press('Reject pre_reserve_stock', card);
      const answer = await running;
      assert.equal(answer.isError, true);
      assert.match(answer.text, /A person denied.*not on a Friday/s);
      await card.getByText(/Rejected by /).waitFor();
      await page.getByText('Note: not on a Friday').waitFor();
      assert.deepEqual(await orders(), []);
    });
  },

  async edits() {
    await reviewed(async (reviewer) => {
      const running = reserve('o-1');
      const card = reviewer.card('"o-1"');
      await reviewer.press('Edit the arguments', card);
      const text = card.getByLabel('Arguments to run instead');
      const send = card.getByRole('button', { name: 'Approve as edited' });
      await card.getByText('Nothing is changed yet.').waitFor();
      assert.equal(await send.isEnabled(), false);
      const faults = [['{"order":', 'This is no JSON'], ['[1]', 'in braces'], ['{"a":1,"a":2}', 'stands twice']];
      for (const [wrong, fault] of faults) {
        await text.fill(wrong);
        await card.getByText(fault).waitFor();
        assert.equal(await send.isEnabled(), false);
      }
      await text.fill('{"order":"o-1","item":"bolt-m8","location":1,"quantity":3}');
      const differences = card.getByRole('group', { name: 'Differences' });
      assert.deepEqual(await differences.locator('del').allTextContents(), ['- removed:   "quantity": 7\n']);
      assert.deepEqual(await differences.locator('ins').allTextContents(), ['+ added:   "quantity": 3\n']);
      assert.equal(await differences.locator('span.line').count(), 5);
      await send.click();
      assert.equal((await running).isError, false);
      assert.deepEqual((await orders()).map((order) => order.quantity), [3]);
      await reviewer.go('#/approvals/all');
      await reviewer.page.getByText('Edited').click();
      assert.equal(await reviewer.page.locator('table ins').count(), 1);
    });
  },

  async one_of_two_reviewers_wins() {
    const first = await Visitor.reviewer(link);
    const second = await Visitor.create();
    // The second is not told of the first one's answer before it gives its own.
    await second.page.route('**/v1/events', () => {});  // not answered: a stream that ended would be opened again
    const running = reserve('o-1');
    await first.card('"o-1"').waitFor();
    await second.page.goto(secondLink);
    await second.card('"o-1"').waitFor();
    await first.press('Approve pre_reserve_stock');
    assert.equal((await running).isError, false);
    await second.press('Reject pre_reserve_stock');
    await second.page.getByText(/^Your answer was not taken, because this was settled before. Approved by /).waitFor();
    await first.page.getByText(/^Your answer was taken. Approved by /).waitFor();
    await until('the second counts none', async () => await second.page.title() === 'Approvals - Toolpost');
    assert.equal((await orders()).length, 1);
    await first.close();
    await second.close();
  },

  // What is shown is forged on its way: a yes to that is a yes to nothing.
  async yes_is_to_what_was_shown() {
    await reviewed(async (reviewer, page) => {
      let forging = true;
      const forged = (text) => text.replace('\\"quantity\\":7', '\\"quantity\\":1').replace(/"digest":"../, '"digest":"zz');
      await page.route('**/v1/approvals?state=pending*', async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        await route.fulfill({ response, body: forging ? forged(text) : text });
      });
      const running = reserve('o-1');
      const card = reviewer.card('"quantity": 1');
      await card.waitFor();
      page.on('request', (request) => { forging &&= request.method() !== 'POST'; });
      await reviewer.press('Approve pre_reserve_stock', card);
      await page.getByText('Read it again.').waitFor();
      assert.deepEqual(await orders(), []);
      await reviewer.press('Approve pre_reserve_stock', reviewer.card('"quantity": 7'));
      assert.equal((await running).isError, false);
      assert.deepEqual((await orders()).map((order) => order.quantity), [7]);
      await page.unrouteAll({ behavior: 'wait' });
    });
  },

  async others_see_the_answer() {
    const first = await Visitor.reviewer(link);
    const second = await Visitor.reviewer(secondLink);
    const running = reserve('o-1');
    await second.card('"o-1"').waitFor();
    await first.press('Reject pre_reserve_stock', first.card('"o-1"'));
    await second.card('pre_reserve_stock').getByText(/^Rejected by /).waitFor();
    assert.equal((await running).isError, true);
    await first.close();
    await second.close();
  },

  // No double holds these numbers, and no text of the sender is written anew.
  async shows_and_runs_numbers_exactly() {
    await reviewed(async (reviewer, page) => {
      const asked = '{"order":"o-1","more":{"location":9007199254740993,"list":[0.5,12345678901234567890]}}';
      let running = call('pre_give_back', asked);
      let card = reviewer.card('"o-1"');
      const box = card.getByRole('group', { name: 'Arguments of pre_give_back' });
      assert.equal(await box.textContent(), `{
  "order": "o-1",
  "more": {
    "location": 9007199254740993,
    "list": [
      0.5,
      12345678901234567890
    ]
  }
}`);
      await reviewer.press('Approve pre_give_back', card);
      assert.equal((await running).text, '{"location":9007199254740993,"list":[0.5,12345678901234567890]}');

      running = call('pre_give_back', asked.replace('o-1', 'o-2'));
      card = reviewer.card('"o-2"');
      await reviewer.press('Edit the arguments', card);
      const text = card.getByLabel('Arguments to run instead');
      await text.fill((await text.inputValue()).replace('9007199254740993', '9007199254740995'));
      await reviewer.press('Approve as edited', card);
      assert.match((await running).text, /"location":9007199254740995\b/);

      await reviewer.go('#/tools/get_stock');
      await page.getByLabel('location').fill('9007199254740993');
      const sent = page.waitForRequest((request) => request.url().endsWith('/mcp'));
      await reviewer.press('Call');
      assert.match((await sent).postData(), /"arguments":\{"location":9007199254740993\}/);
      await page.getByRole('region', { name: 'Answer' }).waitFor();
    });
  },

  async hostile_text_stays_text() {
    const payloads = ['<img src=/stolen onerror=alert(1)>', '</script><script>alert(2)</script>',
      '"><svg onload=alert(3)>', 'javascript:alert(4)', '{{constructor.constructor("alert(5)")()}}'];
    await reviewed(async (reviewer, page) => {
      const requests = [];
      page.on('request', (request) => requests.push(new URL(request.url()).pathname));
      const running = giveBack('o-1', { [payloads[0]]: payloads, hidden: 'abc\u202egpj.exe\u200b\u0007' });
      const card = reviewer.card('"o-1"');
      await card.waitFor();
      const box = await shown(card.getByRole('group', { name: 'Arguments of pre_give_back' }));
      for (const payload of payloads) assert.ok(box.includes(JSON.stringify(payload)), `${payload} in ${box}`);
      assert.match(box, /abcU\+202Egpj\.exeU\+200B\\u0007/);
      await card.getByLabel('Note').fill(payloads[0]);
      await reviewer.press('Edit the arguments', card);
      const text = card.getByLabel('Arguments to run instead');
      assert.match(await text.inputValue(), /abc\\u202egpj/);
      await text.fill((await text.inputValue()).replace('"o-1"', JSON.stringify(payloads[1])));
      await card.locator('ins').getByText(payloads[1]).waitFor();
      await reviewer.press('Approve as edited', card);
      await running;
      await page.getByText(`Note: ${payloads[0]}`).waitFor();
      for (const view of ['approvals/all', 'skills', 'tools']) await open(reviewer, view);
      await open(reviewer, 'skills');
      await page.getByText('<img src=/stolen onerror=alert(6)>').waitFor();
      await reviewer.go(`#/tools/${encodeURIComponent(payloads[0])}`);
      await page.getByRole('heading', { level: 1, name: payloads[0] }).waitFor();
      await page.getByText('No tool of this name is offered now.').waitFor();
      assert.ok(!requests.includes('/stolen'), `${requests}`);
      assert.equal(await page.locator('main script, main svg[onload], main img').count(), 0);
    });
  },

  async no_other_site_frames_it() {
    const frame = (src) => `<!doctype html><title>t</title><iframe src="${src}"></iframe>`;
    const pages = { '/': frame(`${options.url}/`), '/own': frame('/inner'), '/inner': '<main id="main">inner</main>' };
    const evil = await otherSite(pages);
    const visitor = await Visitor.reviewer(link);
    const inside = async (path) => {
      await visitor.page.goto(evil.url + path, { waitUntil: 'load' });
      const child = visitor.page.frames().find((one) => one.parentFrame());
      return child.locator('#main').count();
    };
    assert.equal(await inside('/own'), 1, 'what may be framed is seen');
    assert.equal(await inside('/'), 0);
    await until('the browser says why', async () => visitor.faults.some((fault) => /fram/i.test(fault)));
    visitor.faults = [];
    await visitor.close();
    evil.close();
  },

  // A port of the same machine is the same site: the cookie goes along, and must not be enough.
  async no_other_site_answers() {
    const evil = await otherSite({ '/': '<!doctype html><title>t</title><iframe name="sink"></iframe>' });
    const reviewer = await Visitor.reviewer(link);
    const running = reserve('o-1');
    await reviewer.card('"o-1"').waitFor();
    const record = (await reviewer.ask('/v1/approvals?state=pending&limit=9')).body.approvals[0];
    const secret = await reviewer.page.evaluate(() => localStorage.getItem('toolpost-login'));
    const attack = { url: `${options.url}/v1/approvals/${record.id}`, secret,
      body: JSON.stringify({ decision: 'approve', digest: record.digest }) };
    const page = await reviewer.context.newPage();
    const sent = [];
    page.on('request', (request) => { if (request.url() === attack.url) sent.push(request.method()); });
    await page.goto(evil.url);
    const outcomes = await page.evaluate(async ({ url, secret: told, body }) => {
      const credentials = 'include';
      const outcome = (answer) => answer.then((response) => response.type, () => 'refused');
      const plain = { 'Content-Type': 'text/plain' };
      const right = { 'Content-Type': 'application/json', 'X-Toolpost-Login': told };
      const tried = [];
      for (const [mode, headers] of [['no-cors', plain], ['cors', plain], ['cors', right]]) {
        tried.push(await outcome(fetch(url, { method: 'POST', mode, credentials, headers, body })));
      }
      const read = await outcome(fetch(url.replace(/\/[^/]*$/, ''), { credentials }));
      const form = Object.assign(document.createElement('form'),
        { method: 'post', action: url, enctype: 'text/plain', target: 'sink' });
      const field = Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ',"x":"', value: '"}' });
      form.append(field);
      document.body.append(form);
      const answered = new Promise((resolve) => { document.querySelector('iframe').onload = resolve; });
      form.submit();
      await answered;
      return [...tried, read];
    }, attack);
    assert.deepEqual(outcomes, ['opaque', 'refused', 'refused', 'refused']);
    assert.ok(sent.length >= 3, `the requests went out: ${sent}`);
    assert.equal((await reviewer.ask(`/v1/approvals/${record.id}`)).body.state, 'pending');
    assert.deepEqual(await orders(), []);
    // The same, from the page itself: it was the origin that was wrong, not the request.
    const status = (more) => reviewer.page.evaluate(async ({ url, body, headers }) =>
      (await fetch(url, { method: 'POST', headers, body })).status,
    { ...attack, headers: { 'Content-Type': 'application/json', ...more } });
    assert.equal(await status({}), 401, 'the secret is needed');
    assert.equal(await status({ 'X-Toolpost-Login': 'x' }), 401, 'the right secret is needed');
    assert.deepEqual(await orders(), []);
    assert.equal(await status({ 'X-Toolpost-Login': secret }), 200);
    assert.equal((await running).isError, false);
    await reviewer.close();
    evil.close();
  },

  // A tool, or another user of this machine, serves a page on another port: the browser brings it the login's cookie.
  async another_port_has_the_cookie_and_nothing_else() {
    const evil = await otherSite({ '/': '<!doctype html><title>t</title>' });
    const reviewer = await Visitor.reviewer(link);
    const running = reserve('o-1');
    await reviewer.card('"o-1"').waitFor();
    const record = (await reviewer.ask('/v1/approvals?state=pending&limit=9')).body.approvals[0];
    const page = await reviewer.context.newPage();
    await page.goto(evil.url);
    const Cookie = evil.cookies[0];
    assert.match(Cookie, /^__Host-toolpost-[0-9]+=[A-Za-z0-9_-]{43}$/);
    assert.equal(await page.evaluate(() => localStorage.length), 0);

    // What it can do with that by itself, as what it likes to be.
    const body = JSON.stringify({ decision: 'approve', digest: record.digest });
    const listing = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const tried = [['GET', '/v1/login'], ['GET', '/v1/approvals'], ['POST', `/v1/approvals/${record.id}`, body],
      ['GET', '/v1/totp'], ['POST', '/v1/totp'], ['GET', '/v1/events'], ['GET', '/v1/tools'], ['POST', '/mcp', listing],
      ['DELETE', '/v1/login']];
    const value = Cookie.split('=')[1];
    for (const more of [{}, { Origin: options.url, 'Sec-Fetch-Site': 'same-origin' }, { 'X-Toolpost-Login': value }]) {
      for (const [method, path, text] of tried) {
        const headers = { 'Content-Type': 'application/json', Cookie, ...more };
        const answer = await fetch(options.url + path, { method, headers, body: text });
        assert.ok([401, 403, 429].includes(answer.status), `${method} ${path}: ${answer.status}`);
        const members = path === '/mcp' ? ['error', 'jsonrpc'] : ['detail', 'status', 'title', 'type'];
        assert.deepEqual(Object.keys(await answer.json()).sort(), members, `${method} ${path} says more, or no error`);
      }
    }
    assert.equal((await reviewer.ask(`/v1/approvals/${record.id}`)).body.state, 'pending');
    assert.deepEqual(await orders(), []);
    // It can put a cookie of its own in place of this one, which logs nobody in as somebody else.
    const [cookie] = await reviewer.context.cookies();
    await reviewer.context.addCookies([{ ...cookie, value: 'x'.repeat(43) }]);
    assert.equal((await reviewer.ask('/v1/login')).status, 401);
    await reviewer.context.addCookies([cookie]);

    // The page is as it was, in a second tab too.
    await page.goto(options.url);
    await page.getByRole('article').filter({ hasText: '"o-1"' }).getByRole('button', { name: /^Approve / }).click();
    assert.equal((await running).isError, false);
    await reviewer.card('"o-1"').getByText(/Approved by page:operator/).waitFor();
    await reviewer.close();
    evil.close();
  },

  async logins_are_listed_and_ended() {
    const first = await Visitor.reviewer(link);
    const second = await Visitor.reviewer(secondLink);
    await first.go('#/logins');
    const rows = first.page.getByRole('row', { name: /operator/ });
    await until('both are listed', async () => await rows.count() === 2);
    const other = first.page.getByRole('row').filter({ hasText: 'operator' }).filter({ hasNotText: '(this one)' });
    await first.press(/^Log out operator, login /, other);
    await first.page.getByRole('group', { name: 'This login ends. Log it out?' }).waitFor();
    assert.deepEqual(await first.accessibilityFaults(), []);
    await first.press('Log out', other);
    // The other one is told at once: its stream ends with it.
    await second.page.getByText('You were logged out.').waitFor();
    await until('one is listed', async () => await rows.count() === 1);

    // Those with more rights go on, and the reader is told so.
    await first.page.route('**/v1/logins', async (route) => {
      const response = await route.fetch();
      const isDelete = route.request().method() === 'DELETE';
      return route.fulfill({ response, json: isDelete ? { ended: 1, left: 2 } : { ...await response.json(), more: true } });
    });
    await first.go('#/rest');
    await first.go('#/logins');
    await first.page.getByText('There are older logins: toolpost key logins lists all.').waitFor();
    await first.press('Log out everywhere');
    await first.press('Log out everywhere');
    await first.page.getByText(/^You were logged out\. 2 logins of operator with more rights go on: /).waitFor();
    assert.equal((await first.ask('/v1/login')).status, 401);
    await first.close();
    await second.close();
  },

  // Two hosts on one machine share the browser's cookies.
  async hosts_on_two_ports_do_not_log_each_other_out() {
    const visitor = await Visitor.reviewer(link);
    const other = await visitor.context.newPage();
    visitor.listen(other);
    const approvals = (page) => page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    await other.goto(options.otherLink);
    await approvals(other);  // a reload before that would cancel the login that spends the link
    for (const page of [other, visitor.page]) {
      await page.reload();
      await approvals(page);
    }
    assert.equal((await visitor.context.cookies()).length, 2);
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByLabel('Key').waitFor();
    await visitor.page.reload();
    await approvals(visitor.page);
    await visitor.close();
  },

  // A link that a stranger made, or anybody else, changes nobody's login.
  async link_changes_no_login() {
    const visitor = await Visitor.create();
    await visitor.page.goto(`${options.url}/#/tools`);
    await visitor.page.getByLabel('Key').fill(options.key);
    await visitor.press('Log in');
    await visitor.page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    await visitor.page.goto(link);
    await visitor.page.getByText('You are logged in as rita. The link was not used.').waitFor();
    assert.equal((await visitor.ask('/v1/login')).body.principal, 'rita');
    await visitor.close();
    const later = await Visitor.reviewer(link);  // it is as good as it was
    await later.close();
  },

  async every_view_is_accessible() {
    await reviewed(async (reviewer, page) => {
      const wide = { long: 'y'.repeat(2000), 'a long name of a member that is very long': [[[['deep']]]] };
      const running = [reserve('o-1'), giveBack('o-2', wide)];
      await reviewer.card('"o-2"').waitFor();
      for (const view of views) {
        await open(reviewer, view);
        await looksRight(reviewer, view.replaceAll('/', '-'));
        const current = await page.locator('nav [aria-current=page]').getAttribute('href');
        assert.equal(current, `#/${view.split('/')[0]}`);
      }
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      // What opens on demand.
      await open(reviewer, 'plugins');
      for (const one of await page.locator('main summary').all()) await one.click();
      await page.setViewportSize({ width: 320, height: 720 });
      assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), 320);
      assert.deepEqual(await reviewer.accessibilityFaults(), []);
      await open(reviewer, 'approvals');
      for (const one of await page.locator('main summary').all()) await one.click();
      const card = reviewer.card('"o-1"');
      await reviewer.press('Edit the arguments', card);
      const edited = '{"order":"o-1","item":"bolt-m8","location":1,"quantity":3}';
      await card.getByLabel('Arguments to run instead').fill(edited);
      await card.locator('ins').waitFor();
      assert.deepEqual(await reviewer.accessibilityFaults(), []);
      assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), 320);
      await page.screenshot({ path: join(options.shots, 'approvals-edit-narrow.png'), fullPage: true });
      await reviewer.press('Approve as edited', card);
      await reviewer.press('Reject pre_give_back', reviewer.card('"o-2"'));
      await Promise.all(running);
      await page.getByText(/Rejected by /).first().waitFor();
      assert.deepEqual(await reviewer.accessibilityFaults(), []);
    });
  },

  async answers_by_keyboard_alone() {
    await reviewed(async (reviewer, page) => {
      const running = reserve('o-1');
      await reviewer.card('"o-1"').waitFor();
      await page.keyboard.press('Tab');
      assert.equal((await focus(page)).named, 'Skip to the content');
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
      assert.match(page.url(), /\/$|#\/approvals$/);
      await tabTo(page, 'Edit the arguments');
      await page.keyboard.press('Enter');
      assert.equal((await focus(page)).tag, 'TEXTAREA');
      await tabTo(page, 'Leave the arguments as they are');
      await page.keyboard.press('Enter');
      assert.equal((await focus(page)).named, 'Edit the arguments');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Shift+Tab');
      assert.equal((await focus(page)).named, 'Approve pre_reserve_stock');
      await page.keyboard.press('Enter');
      assert.equal((await running).isError, false);
      await until('the focus is on the outcome', async () => /^Your answer was taken/.test((await focus(page)).named));
      assert.equal((await orders()).length, 1);
    });
  },

  // News of another call neither take the focus nor what was typed, and move nothing.
  async news_do_not_disturb() {
    await reviewed(async (reviewer, page) => {
      const running = [reserve('o-1')];
      const card = reviewer.card('"o-1"');
      await card.getByLabel('Note').fill('half a sent');
      const before = await card.boundingBox();
      running.push(reserve('o-2'));
      await reviewer.card('"o-2"').waitFor();
      await page.keyboard.type('ence');
      assert.equal(await card.getByLabel('Note').inputValue(), 'half a sentence');
      assert.deepEqual(await card.boundingBox(), before);
      await page.getByText('2 calls wait for an answer.').waitFor();
      await page.getByRole('link', { name: /^Approvals/ }).focus();
      await reviewer.press('Reject', reviewer.card('"o-2"'));
      await page.getByRole('link', { name: /^Approvals/ }).focus();
      running.push(reserve('o-3'));
      await reviewer.card('"o-3"').waitFor();
      assert.match(await page.evaluate(() => document.activeElement.getAttribute('href')), /approvals/);
      assert.equal(await card.getByLabel('Note').inputValue(), 'half a sentence');
      for (const name of ['"o-1"', '"o-3"']) await reviewer.press('Reject', reviewer.card(name));
      await Promise.all(running);
    });
  },

  // By the host's clock: this browser's is a day wrong.
  async counts_by_the_clock_of_the_host() {
    const visitor = await Visitor.create();
    await visitor.context.addInitScript(() => {
      const real = Date.now;
      Date.now = () => real() + 86400000;
      globalThis.Date = class extends Date {
        constructor(...given) { given.length ? super(...given) : super(real() + 86400000); }
        static now() { return real() + 86400000; }
      };
    });
    await visitor.page.goto(link);
    const running = reserve('o-1');
    const card = visitor.card('"o-1"');
    await card.getByText(/^\d\d? s left to answer$/).waitFor();
    assert.match((await running).text, /Nobody answered in time/);
    await visitor.page.getByText('Nobody answered in time. It did not run.').first().waitFor();
    assert.equal(await visitor.page.getByRole('button', { name: /Approve/ }).count(), 0);
    await visitor.close();
  },

  async tries_tools_by_hand() {
    await reviewed(async (reviewer, page) => {
      const answer = page.getByRole('region', { name: 'Answer' });
      await reviewer.go('#/tools');
      await page.getByLabel('Show those that hold').fill('locations');
      await page.getByText('1 of').waitFor();
      await page.getByRole('link', { name: 'get_locations' }).click();
      await page.getByLabel('include_inactive').selectOption({ label: 'true' });
      const sent = page.waitForRequest((request) => request.url().endsWith('/mcp'));
      await reviewer.press('Call');
      assert.match((await sent).postData(), /"arguments":\{"include_inactive":true\}/);
      await answer.getByRole('heading', { name: 'Result' }).waitFor();
      const expectedText = (await call('get_locations', '{"include_inactive":true}')).text;
      assert.equal(await answer.getByRole('group', { name: 'Content 1' }).textContent(), expectedText);

      await reviewer.go('#/tools/greet');
      await page.getByLabel('Write the arguments as JSON').check();
      await page.getByLabel('Arguments, as JSON').fill('{"name":5}');
      await reviewer.press('Call');
      await answer.getByRole('heading', { name: 'The tool reports an error' }).waitFor();

      // Back to the first: what was there is there still.
      await page.goBack();
      await answer.getByRole('group', { name: 'Content 1' }).waitFor();

      await reviewer.go('#/tools/pre_reserve_stock');
      await page.getByLabel('order').fill('o-1');
      await page.getByLabel('item').fill('bolt-m8');
      await page.getByLabel('location').fill('one');
      await reviewer.press('Call');
      await page.getByText('A whole number is needed.').first().waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-invalid')), 'true');
      await page.getByLabel('location').fill('1');
      await page.getByLabel('quantity').fill('2');
      await reviewer.press('Call');
      await page.getByRole('link', { name: 'Approvals 1 waits' }).click();
      await reviewer.press('Approve pre_reserve_stock');
      await page.getByText('Your answer was taken.').first().waitFor();
      await page.goBack();
      await answer.getByRole('heading', { name: 'Result' }).waitFor();
      assert.deepEqual((await orders()).map((order) => order.quantity), [2]);

      await reviewer.go('#/activity');
      await page.getByRole('row', { name: /^get_locations 2 0 / }).waitFor();
      assert.match(await page.getByRole('img', { name: /^Calls that end/ }).getAttribute('aria-label'), /Now all: /);
    });
  },

  async shows_what_changes() {
    await reviewed(async (reviewer, page) => {
      await reviewer.go('#/tools');
      await page.getByRole('link', { name: 'get_orders' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'get_current_time' }).count(), 0);
      await told('drop a plugin');
      await page.getByRole('link', { name: 'get_current_time' }).waitFor();
      await reviewer.go('#/plugins');
      const card = page.getByRole('article', { name: /^clock/ });
      await card.getByText('active', { exact: true }).waitFor();
      await card.locator('summary').getByText(/^Reload history/).click();
      await card.getByRole('row', { name: /accepted/ }).first().waitFor();
      await reviewer.go('#/skills');
      await page.getByText('<img src=/stolen').waitFor();
      await told('add a skill');
      await page.getByRole('heading', { name: 'fresh-skill' }).waitFor();
    });
  },

  async says_when_it_is_cut_off() {
    const reviewer = await Visitor.reviewer(link);
    const { page } = reviewer;
    await told('stop the host');
    await page.getByText('Not connected; trying again.').waitFor();
    await told('start the host');
    const gone = page.getByText('Not connected; trying again.');
    await until('it is connected, or asks to log in', async () => await gone.count() === 0);
    if (await page.getByLabel('Key').count()) {
      await page.goto(await told('give a link'));
    }
    const running = reserve('o-1');
    await reviewer.press('Approve pre_reserve_stock', reviewer.card('"o-1"'));
    assert.equal((await running).isError, false);
    reviewer.faults = reviewer.faults.filter((fault) => !/ERR_|Failed to load resource/.test(fault));
    await reviewer.close();
  },

  async shows_the_context_of_a_call() {
    await reviewed(async (reviewer, page) => {
      const meta = { 'io.toolpost/context': { entries: { 'org.example.User': { id: 'ab\u202eba', '<img src=/stolen>': 1 } } } };
      const params = { name: 'pre_reserve_stock', arguments: { order: 'o-1', item: 'bolt-m8', location: 1, quantity: 7 }, _meta: meta };
      const running = fetch(`${options.url}/mcp`, {
        method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${options.key}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }) });
      const card = reviewer.card('"o-1"');
      await card.waitFor();
      const box = await shown(card.getByRole('group', { name: 'Context of pre_reserve_stock' }));
      assert.match(box, /org\.example\.User/);
      assert.match(box, /abU\+202Eba/);
      assert.ok(box.includes('<img src=/stolen>'), box);
      assert.deepEqual(await reviewer.accessibilityFaults(), []);
      await reviewer.press('Approve pre_reserve_stock', card);
      const { result } = await (await running).json();
      assert.ok(result && !result.isError, JSON.stringify(result));
      await card.getByText('Context', { exact: true }).click();
      await card.getByRole('group', { name: 'Context of pre_reserve_stock' }).waitFor();
      assert.equal(await page.locator('main img').count(), 0);
    });
  },

  async store_that_fails_is_told() {
    const reviewer = await Visitor.reviewer(link);
    const { page } = reviewer;
    const alert = page.getByRole('alert', { name: 'Store' });
    const running = reserve('o-1');
    const card = reviewer.card('"o-1"');
    await card.waitFor();
    assert.equal(await alert.innerText(), '');
    await told('fail the store');
    await reviewer.press('Approve pre_reserve_stock', card);
    await alert.getByText('The host cannot store anything now.').waitFor();
    await card.getByRole('alert').getByText(/\S/).waitFor();
    assert.deepEqual(await orders(), []);
    await reviewer.go('#/tools');
    await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    assert.match(await alert.innerText(), /Answers, logins and codes are refused until it can/);
    assert.deepEqual(await reviewer.accessibilityFaults(), []);
    await looksRight(reviewer, 'store-that-fails');
    await page.reload();
    await alert.getByText('The host cannot store anything now.').waitFor();
    await told('mend the store');
    await until('the alert is gone', async () => await alert.innerText() === '');
    await reviewer.go('#/approvals');
    await reviewer.press('Approve pre_reserve_stock', reviewer.card('"o-1"'));
    assert.equal((await running).isError, false);
    reviewer.faults = reviewer.faults.filter((fault) => !/Failed to load resource/.test(fault));
    await reviewer.close();
  },
};

let failed = true;
try {
  await scenarios[process.argv[3]]();
  failed = false;
} finally {
  await leaveBrowser();
}
console.log('held');
process.exit(failed ? 1 : 0);
