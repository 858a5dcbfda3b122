// What scenarios have in common: who comes, what is told to the test, how the keyboard goes and how a view must look.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Visitor, options } from './browser.mjs';

export const [link, secondLink] = options.links;

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// Says something to the test that started this, and waits until it has acted.
export async function told(word) {
  console.log(word);
  return (await input.next()).value;
}

export async function reviewed(run) {
  const reviewer = await Visitor.reviewer(link);
  await run(reviewer, reviewer.page);
  await reviewer.close();
}

export async function loggedIn(key, prepare = () => {}) {
  const visitor = await Visitor.create();
  await prepare(visitor);
  await visitor.page.goto(`${options.url}/#/tools`);
  await visitor.page.getByLabel('Key').fill(key);
  await visitor.press('Log in');
  await visitor.page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
  return visitor;
}

// The text of a box as it is laid out, marks of hidden characters included.
export const shown = async (locator) => (await locator.innerText()).replaceAll('\u00a0', ' ');

export const focus = (page) => page.evaluate(() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const named = one.getAttribute('aria-label') ?? one.textContent.trim();
  return { named, tag: one.tagName, seen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
});

export async function tabTo(page, name) {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    const now = await focus(page);
    assert.ok(now.seen || now.tag === 'BODY', `the focus on ${JSON.stringify(now)} is not seen`);
    if (now.named.includes(name)) return;
  }
  assert.fail(`the keyboard does not reach ${name}`);
}

// The view as it is now, light and dark, wide and narrow; pictures of it stay. In the dark, only the colors differ.
export async function looksRight(visitor, name) {
  mkdirSync(options.shots, { recursive: true });
  const { page } = visitor;
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    for (const [size, width, height] of [['wide', 1100, 900], ['narrow', 320, 720]]) {
      await page.setViewportSize({ width, height });
      const widest = await page.evaluate(() => document.scrollingElement.scrollWidth);
      assert.equal(widest, width, `${name} scrolls sideways at ${width} px`);
      const rules = scheme === 'dark' ? ['color-contrast', 'link-in-text-block'] : [];
      assert.deepEqual(await visitor.accessibilityFaults(...rules), [], `${name}, ${scheme}, ${size}`);
      await page.screenshot({ path: join(options.shots, `${name}-${scheme}-${size}.png`), fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1100, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}
