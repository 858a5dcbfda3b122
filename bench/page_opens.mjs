// page_opens.mjs NPM LINK CARDS ROUNDS: logs in once, then opens the page anew ROUNDS times; prints as a JSON list the
// milliseconds from the start of each navigation until CARDS questions were shown.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [npm, link, cards, rounds] = process.argv.slice(2);
const { chromium } = createRequire(join(npm, 'package.json'))('playwright-core');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
const page = await browser.newPage();
await page.addInitScript((wanted) => {
  new MutationObserver((_, observer) => {
    if (document.querySelectorAll('article').length < wanted) return;
    observer.disconnect();
    requestAnimationFrame(() => { globalThis.openAfterMs = performance.now(); });
  }).observe(document, { childList: true, subtree: true });
}, Number(cards));
const times = [];
await page.goto(link);
for (let round = 0; round < Number(rounds); round += 1) {
  await page.waitForFunction(() => globalThis.openAfterMs);
  await page.reload();
  await page.waitForFunction(() => globalThis.openAfterMs);
  times.push(await page.evaluate(() => globalThis.openAfterMs));
}
console.log(JSON.stringify(times));
await browser.close();
