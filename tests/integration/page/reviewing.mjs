// Scenarios of cards of calls that wait: what they do to their neighbours, and what they cost.
import assert from 'node:assert/strict';
import { giveBack, reserve, until } from './browser.mjs';
import { reviewed } from './scene.mjs';

const kSettledKept = 20;

export const reviewing = {
  // Callers went away, so that each question waits until it is settled from outside.
  async cards_keep_their_place() {
    await reviewed(async (reviewer, page) => {
      const pending = async () => (await reviewer.ask('/v1/approvals?state=pending&texts=none')).body.approvals;
      const reject = ({ id }) => reviewer.ask(`/v1/approvals/${id}`, { method: 'POST', body: '{"decision":"reject"}' });
      for (const order of ['o-1', 'o-2', 'o-3']) {
        await reserve(order);
        await reviewer.card(`"${order}"`).waitFor();
      }
      // One above another is settled by somebody else, and is not among the newest: the other stays where it is.
      const approve = reviewer.card('"o-2"').getByRole('button', { name: /^Approve / });
      const before = await approve.boundingBox();
      const latest = '**/v1/approvals?state=all*';
      await page.route(latest, (route) => route.fulfill({ json: { now: new Date().toISOString(), approvals: [] } }));
      await reject((await pending()).at(-1));
      await reviewer.card('"o-1"').getByText(/^Rejected by /).waitFor();
      assert.deepEqual(await approve.boundingBox(), before);
      await page.unroute(latest);

      // The second half of a double click presses nothing.
      await approve.dblclick();
      await reviewer.card('"o-2"').getByText(/^Your answer was taken/).waitFor();
      assert.equal((await pending()).length, 1);

      // Of many outcomes the newest stay, while no hand is near.
      await page.mouse.move(1, 1);
      const orders = Array.from({ length: kSettledKept + 5 }, (_, i) => `m-${i}`);
      await Promise.all(orders.map((order) => reserve(order)));
      await page.getByText(`${orders.length + 1} calls wait for an answer.`).waitFor();
      for (const one of (await pending()).slice(0, -1)) await reject(one);
      await page.getByText('1 call waits for an answer.').waitFor();
      const settled = page.locator('.card.settled');
      await until('the oldest outcomes are gone', async () => await settled.count() <= kSettledKept + 1);  // or one with the focus
      await reviewer.card('"o-3"').getByRole('button', { name: /^Approve / }).waitFor();
    });
  },

  // Long arguments are read once, by a card that has room for them, and not after each change.
  async long_arguments_are_read_once() {
    await reviewed(async (reviewer, page) => {
      const sizes = [];
      const lists = /\/v1\/approvals\?state=pending/;
      page.on('response', async (response) => {
        if (lists.test(response.url())) sizes.push((await response.body().catch(() => '')).length);
      });
      let release;
      const held = new Promise((resolve) => { release = resolve; });
      await page.route('**/v1/approvals/ap_*', async (route) => {
        await held;
        await route.continue();
      });
      const long = { first: 'x'.repeat(20000), last: 'the end' };
      await giveBack('long-1', long);
      const card = page.getByRole('article');
      await card.getByText('It is read...').waitFor();
      const approve = card.getByRole('button', { name: /^Approve / });
      assert.ok(await approve.isDisabled(), 'nobody answers what they cannot read');
      const before = await card.boundingBox();
      release();
      await card.getByText('the end').waitFor();
      assert.deepEqual(await card.boundingBox(), before);
      await page.unroute('**/v1/approvals/ap_*');
      await approve.click();
      await card.getByText(/^Your answer was taken/).waitFor();
      await card.getByText('Arguments', { exact: true }).click();
      await card.getByText('the end').waitFor();

      // Elsewhere the page only counts.
      await reviewer.go('#/tools');
      await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
      await giveBack('long-2', long);
      await until('the title counts it', async () => await page.title() === '(1) Tools - Toolpost');
      await until('the bodies of the lists are here', () => sizes.length > 2);
      assert.ok(Math.max(...sizes) < 5000, `${sizes}`);
      await reviewer.go('#/approvals/all');
      await page.getByText('Show', { exact: false }).last().click();
      await page.getByText('the end').last().waitFor();

      // An event makes the table anew; what is open is not read again.
      let reads = 0;
      page.on('request', (request) => { reads += /\/v1\/approvals\/ap_/.test(request.url()) ? 1 : 0; });
      const rows = page.getByRole('row', { name: /pre_give_back/ });
      const listed = await rows.count();
      await giveBack('short', {});
      await until('the new request is listed', async () => await rows.count() > listed);
      await page.getByText('the end').last().waitFor();
      assert.equal(reads, 0);
    });
  },
};
