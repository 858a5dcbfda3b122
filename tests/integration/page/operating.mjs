// Scenarios of who operates the host: sessions, upstreams, skills, rules, live calls, the audit.
import assert from 'node:assert/strict';
import { Visitor, call, options, until } from './browser.mjs';
import { focus, loggedIn, looksRight, reviewed, secondLink, tabTo, told } from './scene.mjs';

const payload = '<img src=/stolen onerror=alert(1)>';

export const operating = {
  // By the keyboard; a model switches them too, and the page never overwrites what it has not shown.
  async groups_of_a_session_are_switched() {
    await reviewed(async (reviewer, page) => {
      const send = async (path, body) => (await reviewer.ask(path, { method: 'POST', body: JSON.stringify(body) })).body;
      const { id: session } = await send('/v1/sessions', { customizations: {} });
      const active = async () => (await reviewer.ask(`/v1/sessions/${session}/groups`)).body.groups
        .filter((one) => one.active).map((one) => one.name).join();
      await reviewer.go(`#/sessions/${session}`);
      const groups = page.getByRole('region', { name: 'Tool groups' });
      const stock = groups.getByRole('checkbox', { name: 'stock is active' });
      const talk = groups.getByRole('checkbox', { name: 'talk is active' });
      await stock.waitFor();
      assert.deepEqual([await stock.isChecked(), await talk.isChecked(), await active()], [false, true, 'talk']);
      await groups.getByText(`Storage room ${payload}`).waitFor();
      await looksRight(reviewer, 'session-groups');
      await stock.focus();
      await page.keyboard.press('Space');
      await until('the group is active', async () => await active() === 'stock,talk');
      await until('the focus stays', async () => (await focus(page)).named === 'stock is active');
      await send(`/v1/tools/request/${session}`, { name: 'reset_tools', arguments: { stock: true } });
      await until('what the model did is shown', async () => !await talk.isChecked() && await stock.isChecked());
      await talk.click();  // no check(): the view may be drawn anew at the click
      await until('both are active', async () => await active() === 'stock,talk' && await talk.isChecked());

      const stale = { version: 1, groups: [{ name: 'talk', description: 'as it was', active: true, switchable: true },
        { name: 'stock', description: 'as it was', active: false, switchable: true }] };
      await page.route('**/v1/sessions/*/groups', (route) => route.fulfill({ json: stale }));
      await reviewer.go('#/sessions');
      await page.getByRole('table', { name: 'Sessions' }).waitFor();
      await reviewer.go(`#/sessions/${session}`);
      await groups.getByText('as it was').first().waitFor();
      await talk.click();
      await page.getByRole('alert').getByText(/^The group was not switched: the session has the version/).waitFor();
      await page.unroute('**/v1/sessions/*/groups');
      assert.equal(await active(), 'stock,talk');
    });
  },

  // A call of a client's own tool: a reviewer gives its result, and its owner sees how it went.
  async external_call_is_answered() {
    await reviewed(async (reviewer, page) => {
      const tool = { name: 'countBins', description: `Counts bins ${payload}`,
        requestArgs: { properties: { aisle: { type: 'string' }, account: { type: 'integer' } } },
        responseShape: { properties: { bins: { type: 'integer' }, note: { type: 'string' } }, required: ['bins'] } };
      const send = async (path, body) => (await reviewer.ask(path, { method: 'POST', body: JSON.stringify(body) })).body;
      const { id: session } = await send('/v1/sessions', { customizations: { extensions: { tools: { countBins: tool } } } });
      const asked = '{"name":"countBins","arguments":{"aisle":"A7","account":9007199254740993}}';
      const call = async () =>
        (await reviewer.ask(`/v1/tools/request/${session}`, { method: 'POST', body: asked })).body;
      const first = await call();
      await reviewer.go('#/external');
      await page.getByText('1 call waits.').waitFor();
      const card = reviewer.card(first.id);
      await card.getByText(payload).waitFor();
      await card.getByText('"A7"').waitFor();
      await card.getByText('9007199254740993').waitFor();
      await looksRight(reviewer, 'external');
      await reviewer.press('Send the result', card);
      await card.getByText('A whole number is needed.').waitFor();
      await card.getByRole('textbox', { name: 'bins' }).fill('12');
      // The first of very many: their number is told, though the same are listed.
      const listed = /\/v1\/tools\/external$/;
      await page.route(listed, async (route) => {
        const response = await route.fetch();
        const { calls } = await response.json();
        await route.fulfill({ response, json: { calls: calls.filter((one) => one.id === first.id), all: 150 } });
      });
      const second = await call();
      await page.getByText('150 calls wait. 1 of them:').waitFor();
      await page.unroute(listed);
      const third = await call();
      await page.getByText('3 calls wait.').waitFor();
      const failed = reviewer.card(second.id);
      await failed.getByRole('textbox', { name: 'bins' }).fill('3');
      await failed.getByLabel('Or why it failed').fill('the aisle is closed');
      await page.keyboard.press('Enter');
      await page.getByText('2 calls wait.').waitFor();
      const { body: record } = await reviewer.ask(`/v1/tools/request/${session}/${second.id}`);
      assert.deepEqual([record.state, record.code], ['ERROR', 'failed']);
      assert.match(JSON.stringify(record.tool_result), /the aisle is closed/);
      assert.ok(third.id);
      assert.equal(await card.getByRole('textbox', { name: 'bins' }).inputValue(), '12', 'what was typed stays');
      await reviewer.press('Send the result', card);
      await page.getByText('1 call waits.').waitFor();
      const { body } = await reviewer.ask(`/v1/tools/request/${session}/${first.id}`);
      assert.deepEqual([body.state, JSON.parse(body.tool_result.content[0].text)], ['COMPLETE', { state: 'COMPLETE', bins: 12 }]);

      await reviewer.go('#/sessions');
      await page.getByRole('table', { name: 'Sessions' }).getByRole('link', { name: session }).waitFor();
      await looksRight(reviewer, 'sessions');
      const { id: another } = await send('/v1/sessions', { customizations: {} });
      await page.getByRole('link', { name: another }).waitFor();
      await reviewer.ask(`/v1/sessions/${another}`, { method: 'DELETE' });
      await page.getByRole('link', { name: another }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: session }).click();
      const calls = page.getByRole('table', { name: 'Calls' });
      await calls.getByRole('row', { name: /countBins complete/ }).waitFor();
      const waiting = calls.getByRole('row', { name: /countBins waits: external_execution_required/ });
      await waiting.waitFor();
      await looksRight(reviewer, 'session');
      await reviewer.press(/^Cancel countBins/, waiting);
      await reviewer.press('Cancel it', calls);
      await calls.getByRole('row', { name: /countBins failed: cancelled/ }).waitFor();
      await reviewer.go('#/external');
      await page.getByText('No call waits for somebody to execute it.').waitFor();

      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${options.key}` };
      const post = async (path, body) =>
        (await fetch(options.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
      const { id: other } = await post('/v1/sessions', { customizations: { extensions: { tools: { countBins: tool } } } });
      const sent = await post(`/v1/tools/request/${other}`,
        { name: 'countBins', arguments: { aisle: 'B2' }, context: { values: { tenant: 'north-7' } } });
      await reviewer.card(sent.id).getByText('"north-7"').waitFor();
    });
  },

  // A pre_ tool of a client: approved here with other arguments, then announced to the client, which gets those.
  async edited_call_of_a_client_reaches_it() {
    await reviewed(async (reviewer) => {
      const tool = { name: 'pre_createTransfer', description: 'Creates a transfer',
        requestArgs: { properties: { from: { type: 'string' }, quantity: { type: 'integer' } }, required: ['from'] },
        responseShape: { properties: { transfer: { type: 'integer' } } } };
      const ask = async (method, path, body) =>
        (await reviewer.ask(path, { method, body: body && JSON.stringify(body) })).body;
      const { id: session } = await ask('POST', '/v1/sessions',
        { customizations: { extensions: { tools: { pre_createTransfer: tool } } } });
      const { id } = await ask('POST', `/v1/tools/request/${session}`,
        { name: tool.name, arguments: { from: 'A-1', quantity: 7 } });
      const path = `/v1/tools/request/${session}/${id}`;
      const card = reviewer.card('"A-1"');
      await card.waitFor();
      const beat = await reviewer.ask(`${path}/heartbeat`, { method: 'POST', body: '{"state":"PROCESSING"}' });
      assert.equal(beat.status, 409, 'nobody executes what is not approved');
      await reviewer.press('Edit the arguments', card);
      const edited = { from: 'B-2', quantity: 3, sessionId: session };
      await card.getByLabel('Arguments to run instead').fill(JSON.stringify(edited));
      await reviewer.press('Approve as edited', card);
      await until('it is announced', async () => (await ask('GET', path)).reason === 'external_execution_required');
      assert.deepEqual((await ask('GET', path)).arguments, edited);
      await ask('POST', `${path}/heartbeat`, { state: 'PROCESSING', heartbeat: Date.now() });
      await ask('POST', `/v1/tools/response/${session}/${id}`, { response: { state: 'COMPLETE', transfer: 5 } });
      assert.equal((await ask('GET', path)).state, 'COMPLETE');
    });
  },

  // Live: what one reviewer's "always" stores, another sees come and go.
  async upstreams_are_shown_and_accepted() {
    await reviewed(async (reviewer, page) => {
      await reviewer.go('#/upstreams');
      const card = page.getByRole('article', { name: 'files' });
      const section = card.getByRole('region', { name: 'Definition of look' });
      await card.getByText('ready', { exact: true }).waitFor();
      await section.getByText('a new tool').waitFor();

      // What is accepted is what was shown: the definition changes between the look and the yes.
      await told('change');
      await reviewer.press('Accept the definition of look of files', section);
      await reviewer.press('Accept it', section);
      await page.getByText(/files did not do it: what waits now has another digest/).waitFor();
      const differs = section.getByRole('group', { name: 'What differs in look' });
      await differs.getByText('+ description: It looks<U+200B> and sends').waitFor();
      await looksRight(reviewer, 'upstreams-held');
      await reviewer.press('Accept the definition of look of files', section);
      await reviewer.press('Accept it', section);
      await section.waitFor({ state: 'detached' });
      await card.getByRole('link', { name: 'mcp__files__look' }).waitFor();

      await reviewer.press('Restart files', card);
      await reviewer.press('Restart it', card.getByRole('group', { name: /may fail/ }));
      await card.locator('.facts div', { hasText: /^Starts2$/ }).waitFor();
      const gone = page.getByRole('article', { name: 'gone' });
      await gone.getByText(/cannot be run: No such file/).waitFor();
      await gone.getByText('Sandbox', { exact: true }).click();
      await gone.getByText('The process does not run now.').waitFor();
      await gone.getByText('ro:/srv', { exact: true }).waitFor();
      assert.equal(await card.getByText('Sandbox', { exact: true }).count(), 0);

      // What was pasted for a login stays while news draw the view anew.
      const issuer = 'https://issuer.example/';
      await page.route('**/v1/upstreams', async (route) => {
        const response = await route.fetch();
        const { upstreams } = await response.json();
        const login = { needed: 'it needs a login', issuer: '', scopes: [] };
        await route.fulfill({ response, json: { upstreams: upstreams.map((one) => ({ ...one, login })) } });
      });
      await page.route('**/v1/upstreams/files/login', (route) =>
        route.fulfill({ json: { url: issuer, issuer, expires: '2999-01-01T00:00:00Z' } }));
      await reviewer.press('Look again');
      await reviewer.press('Log in at files', card);
      const address = card.getByLabel(/paste the address of that page/);
      await address.fill('http://127.0.0.1:1/callback?code=x');
      const old = await card.elementHandle();
      await reviewer.press('Look again');
      await until('the view was drawn anew', () => old.evaluate((one) => !one.isConnected));
      assert.equal(await address.inputValue(), 'http://127.0.0.1:1/callback?code=x');
    });
  },

  async git_skills_are_pulled_and_accepted() {
    await reviewed(async (reviewer, page) => {
      await reviewer.go('#/skills');
      const card = page.getByRole('article', { name: 'team' });
      await card.locator('.facts div', { hasText: /^Skillspdf$/ }).waitFor();
      const waiting = card.getByRole('region', { name: 'Skill pdf' });
      assert.equal(await waiting.count(), 0);
      await told('change');
      await reviewer.press('Pull team', card);
      const differs = waiting.getByRole('group', { name: 'What differs in pdf' });
      await differs.getByText(`+description: Reads<U+200B> ${payload}`).waitFor();
      await card.getByRole('region', { name: 'Skill word' }).getByText('a new skill').waitFor();
      assert.equal(await page.getByRole('heading', { name: 'word', exact: true }).count(), 0, 'it is served');
      await looksRight(reviewer, 'skills-held');

      // A pull that goes on meanwhile hides nothing that waits.
      const repositories = /\/v1\/skill-repositories$/;
      await page.route(repositories, async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        await route.fulfill({ response, json: { skillRepositories: answer.skillRepositories.map((one) => ({ ...one, pulling: true })) } });
      });
      await reviewer.go('#/tools');
      const compared = page.waitForResponse(/\/v1\/skill-repositories\/team\/changes$/);
      await reviewer.go('#/skills');
      await compared;
      await differs.getByText('+description: Reads').waitFor();
      await page.unroute(repositories);

      // What is accepted is what was shown: the skill changes between the look and the yes.
      await told('change again');
      await reviewer.press('Accept the skill pdf of team', waiting);
      await reviewer.press('Accept it', waiting);
      await page.getByText(/team did not do it: what waits now has another digest/).waitFor();
      await differs.getByText('+description: Reads everything').waitFor();
      await reviewer.press('Accept the skill pdf of team', waiting);
      await reviewer.press('Accept it', waiting);
      await waiting.waitFor({ state: 'detached' });
      await page.locator('.description').getByText('Reads everything').waitFor();
      await card.getByRole('region', { name: 'Skill word' }).waitFor();

      await told('lose the repository');
      await reviewer.press('Pull team', card);
      await card.getByText(/^The last pull failed: git ls-remote failed/).waitFor();
      await page.locator('.description').getByText('Reads everything').waitFor();
      assert.equal(await page.locator('main img').count(), 0);
      reviewer.faults = reviewer.faults.filter((fault) => !/Failed to load resource/.test(fault));
    });
  },

  async rest_interface_is_read() {
    await reviewed(async (reviewer, page) => {
      await reviewer.go('#/rest');
      await page.getByText(/^(\d+) of \1 operations$/).waitFor();
      await page.getByLabel('Show operations with').fill('heartbeat');
      await page.getByText(/^1 of \d+ operations$/).waitFor();
      const card = page.getByRole('article', { name: 'POST /v1/tools/request/{session}/{request}/heartbeat' });
      await card.locator('summary').click();
      await card.getByRole('table', { name: 'Parameters' }).getByRole('row', { name: /^request path/ }).waitFor();
      await card.getByRole('group', { name: 'Schema of the body' }).getByText('"PROCESSING"').waitFor();
      await card.getByRole('group', { name: 'Example of the body' }).getByText('"heartbeat"').waitFor();
      await card.getByRole('group', { name: 'Schema of the answer 200' }).getByText('"lease"').waitFor();
      await card.getByRole('table', { name: 'Errors' }).getByRole('row', { name: /^409 / }).waitFor();
      assert.deepEqual(await reviewer.accessibilityFaults(), []);
    });
  },

  async rules_come_and_go() {
    const watching = await Visitor.reviewer(secondLink);
    const { page } = watching;
    await watching.go('#/rules');
    await page.getByText('Nobody has said "always" to a question.').waitFor();
    const configured = page.getByRole('table', { name: 'Rules of config.toml' });
    await configured.getByRole('row', { name: /^kv_get <img src=\/stolen .* allowed config\.toml/ }).waitFor();
    await reviewed(async (reviewer) => {
      const running = call('kv_set', '{"key":"k","value":"v"}');
      const card = reviewer.card('"k"');
      await card.getByLabel(/^Always, with a yes/).check();
      await reviewer.press('Approve kv_set', card);
      assert.equal((await running).isError, false);
      await reviewer.go('#/rules');
      const stored = (one) => one.getByRole('table', { name: 'Stored rules' })
        .getByRole('row', { name: /^kv_set every call local allowed/ });
      await stored(reviewer.page).waitFor();
      await stored(page).waitFor();
      assert.equal((await call('kv_set', '{"key":"k","value":"w"}')).isError, false);

      // By keyboard alone: not yet, then really.
      // Enter held down asks, and confirms nothing.
      await tabTo(page, 'Remove rule_');
      await page.keyboard.down('Enter');
      await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      assert.equal((await focus(page)).named, 'Remove it');
      await looksRight(watching, 'rules-sure');
      await page.keyboard.press('Tab');
      assert.equal((await focus(page)).named, 'No');
      await page.keyboard.press('Enter');
      assert.match((await focus(page)).named, /^Remove rule_/);
      await stored(page).waitFor();
      await page.getByRole('button', { name: /^Remove rule_/ }).dblclick();
      await page.getByRole('group', { name: 'Such calls are asked about again. Remove it?' }).waitFor();
      await stored(page).waitFor();
      await watching.press('Remove it');
      await page.getByText('Nobody has said "always" to a question.').waitFor();
      await reviewer.page.getByText('Nobody has said "always" to a question.').waitFor();
      assert.equal((await focus(page)).named, 'Rules');
      const again = call('kv_set', '{"key":"k","value":"x"}');
      await reviewer.go('#/approvals');
      await reviewer.press('Reject kv_set', reviewer.card('"x"'));
      assert.equal((await again).isError, true);
    });
    await watching.close();
  },

  async rules_are_seen_by_reviewers_and_removed_by_operators() {
    const visitor = await loggedIn(options.key);
    const { page } = visitor;
    await visitor.go('#/rules');
    await page.getByRole('table', { name: 'Stored rules' }).getByRole('row', { name: /^kv_set / }).waitFor();
    await page.getByText('To remove one takes a key with the scope admin.').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Remove/ }).count(), 0);
    for (const view of ['calls', 'audit']) {
      await visitor.go(`#/${view}`);
      await page.getByText(/^This could not be loaded: .* no scope "admin"/).waitFor();
      assert.deepEqual(await visitor.accessibilityFaults(), []);
    }
    await visitor.close();
  },

  async audit_is_searched() {
    await reviewed(async (reviewer, page) => {
      const requests = [];
      page.on('request', (request) => requests.push(new URL(request.url()).pathname));
      await reviewer.go('#/audit');
      const rows = page.getByRole('table', { name: 'The audit, the newest first' }).locator('tbody tr');
      const count = page.getByRole('status', { name: 'Lines found' });
      await count.getByText('100 lines, the newest first; there may be older ones').waitFor();
      assert.match(await rows.first().innerText(), /login\s+operator/);  // the reader's own
      const hostile = rows.filter({ hasText: 'stolen' });
      await hostile.getByRole('cell', { name: payload, exact: true }).waitFor();
      assert.match(await hostile.innerText(), /not_found/);
      await hostile.getByText('Whole').click();
      const whole = hostile.getByRole('group', { name: /^Whole line \d$/ });
      assert.match(await whole.textContent(), /^\{\n {2}"time": "20.*"principal": "local".*"args_sha256": ".{64}",/s);
      assert.deepEqual(await reviewer.accessibilityFaults(), []);
      const last = await rows.last().innerText();
      await page.getByRole('button', { name: 'Older lines' }).click();
      await count.getByText(/^200 lines, /).waitFor();
      assert.equal(await rows.nth(99).innerText(), last);
      assert.equal((await focus(page)).named, 'Whole line 101');
      await page.getByRole('button', { name: 'Older lines' }).click();
      await count.getByText(/^2\d\d lines, the newest first$/).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Older lines' }).count(), 0);
      await rows.last().getByText('key', { exact: true }).waitFor();  // the first thing that was noted

      const look = async (found) => {
        await reviewer.press('Look');
        await count.getByText(found).waitFor();
      };
      await page.getByLabel('Tool, resource or prompt').fill(payload);
      await look(/^1 line, the newest first$/);
      await page.getByLabel('Tool, resource or prompt').fill('');
      await page.getByLabel('What', { exact: true }).selectOption({ label: 'logins' });
      await page.getByLabel('Outcome').fill('denied');
      await look(/^1 line, /);
      await page.getByLabel('Outcome').fill('ok');
      await look(/^1 line, /);
      await page.getByLabel('Principal').fill('nobody');
      await look(/^0 lines, /);
      await page.getByLabel('Principal').fill('');
      await page.getByLabel('Since').fill('2999-01-01T00:00:00');
      await page.getByLabel('Since').press('Enter');
      await count.getByText(/^0 lines, /).waitFor();
      await page.getByLabel('Since').fill('2001-01-01T00:00:00');
      await look(/^1 line, /);
      await page.getByLabel('Until').fill('2002-01-01T00:00:00');
      await look(/^0 lines, /);
      await page.getByLabel('Until').fill('');
      await page.getByLabel('Agent').fill('coder');
      await page.getByLabel('Agent').press('Enter');
      await count.getByText(/^0 lines, /).waitFor();

      // While another search runs, nothing goes on with the former one; a table that lacks lines says so.
      const older = page.getByRole('button', { name: 'Older lines' });
      for (const name of ['Agent', 'Outcome', 'Since']) await page.getByLabel(name).fill('');
      await page.getByLabel('What', { exact: true }).selectOption({ label: 'everything' });
      await look(/^100 lines, /);
      await older.waitFor();
      let release;
      const held = new Promise((resolve) => { release = resolve; });
      await page.route(/\/v1\/audit\?/, async (route) => {
        await held;
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...await response.json(), whole: false } });
      });
      await page.getByLabel('Outcome').fill('ok');
      await reviewer.press('Look');
      await older.waitFor({ state: 'detached' });
      release();
      await count.getByText(/The newest lines are missing, because the host still reads the file/).waitFor();
      await page.unroute(/\/v1\/audit\?/);
      assert.ok(!requests.includes('/stolen'), `${requests}`);
      assert.equal(await page.locator('main img').count(), 0);
    });
  },

  async calls_are_seen_and_ended() {
    await reviewed(async (reviewer, page) => {
      await reviewer.go('#/calls');
      await page.getByText('Nothing waits or runs.').waitFor();
      const running = call('slow', '{"ms":600000}');
      const row = page.getByRole('row', { name: /^slow runs / });
      await row.waitFor();
      await until('time goes on', async () => /runs\s+([2-9]|\d\d) s/.test(await row.innerText()));
      await tabTo(page, 'End slow, ');
      await page.keyboard.press('Enter');
      assert.equal((await focus(page)).named, 'End it');
      // Others come and go meanwhile: the question stands, and so does the focus.
      const other = call('slow', '{"ms":5000}');
      await page.getByText('2 calls wait or run.').waitFor();
      await page.getByText('1 call waits or runs.').waitFor();
      assert.equal((await other).isError, false);
      assert.equal((await focus(page)).named, 'End it');
      await looksRight(reviewer, 'calls-sure');
      await page.keyboard.press('Enter');
      const answer = await running;
      assert.equal(answer.isError, true);
      assert.match(answer.text, /^An operator ended this call of "slow"/);
      await page.getByText('Nothing waits or runs.').waitFor();
      assert.equal((await focus(page)).named, 'Live calls');

      // One that ends by itself while its question stands leaves the focus near.
      const short = call('slow', '{"ms":10000}');
      await reviewer.press(/^End slow, /);
      await page.getByText('Nothing waits or runs.').waitFor();
      assert.equal((await focus(page)).named, 'Live calls');
      assert.equal((await short).isError, false);
      const asked = call('pre_reserve_stock', '{"order":"o-1","item":"bolt-m8","location":1,"quantity":7}');
      await page.getByRole('row', { name: /^pre_reserve_stock waits for a person's yes / }).waitFor();
      await reviewer.press(/^End pre_reserve_stock, /);
      await reviewer.press('End it');
      assert.match((await asked).text, /^An operator ended this call/);

      // Whom the host tells of no change looks again by itself.
      const last = call('slow', '{"ms":600000}');
      const visitor = await loggedIn(options.key, (one) => one.page.clock.install());
      await visitor.go('#/calls');
      await visitor.page.getByText('1 call waits or runs.').waitFor();
      const { body } = await reviewer.ask('/v1/calls');
      await reviewer.ask(`/v1/calls/${body.calls[0].id}`, { method: 'DELETE' });
      await last;
      await visitor.page.clock.runFor(10000);
      await visitor.page.getByText('Nothing waits or runs.').waitFor();
      await visitor.close();
    });
  },
};
