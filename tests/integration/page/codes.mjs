// Scenarios of one-time codes.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { options, until } from './browser.mjs';
import { focus, loggedIn, looksRight, reviewed, tabTo, told } from './scene.mjs';

// Of RFC 4648 and RFC 6238, by another hand than the host's.
function bytesOf(base32) {
  const bits = [...base32].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
}

function codeOf(secret) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)));
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const at = digest[19] & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1e6).padStart(6, '0');
}

export const codes = {
  async codes_are_enrolled_renewed_and_removed() {
    await reviewed(async (reviewer, page) => {
      const alert = page.locator('main').getByRole('alert');
      await reviewer.go('#/codes');
      await page.getByText('You have none.').waitFor();
      await page.getByText('Nobody has one-time codes.').waitFor();
      await reviewer.press('Enrol');
      const picture = page.getByRole('img', { name: /^QR code of the secret/ });
      await picture.waitFor();
      await until('the field has the focus', async () => (await focus(page)).tag === 'INPUT');
      // News draw the view anew and take neither the focus nor what was typed.
      await page.keyboard.type('12');
      await picture.evaluate((one) => one.setAttribute('data-old', ''));
      await reviewer.ask('/v1/totp/recovery', { method: 'POST', body: '{"code":"1"}' });
      await until('the view was drawn anew', async () => await page.locator('[data-old]').count() === 0);
      await page.keyboard.type('3');
      assert.equal(await page.getByLabel('A code that the app shows now').inputValue(), '123');
      const { width, height } = await picture.boundingBox();
      assert.ok(width > 150 && Math.abs(width - height) < 1, `${width} x ${height}`);
      await looksRight(reviewer, 'codes-enrolment');
      const typed = page.getByText('Or type the secret there').locator('code');
      const secretText = async () => (await typed.innerText()).replaceAll(' ', '');
      const first = await secretText();
      assert.match(first, /^[A-Z2-7]{32}$/);

      // Shown once: who leaves begins again, with another one.
      await reviewer.go('#/tools');
      await page.goBack();
      await page.getByText('An enrolment was begun and not finished.').waitFor();
      assert.ok(!(await page.content()).includes(first.slice(0, 4)));
      await reviewer.press('Begin again');
      await picture.waitFor();
      const secret = await secretText();
      assert.notEqual(secret, first);
      const field = page.getByLabel('A code that the app shows now');
      await reviewer.press('Confirm');
      await alert.getByText('The code was not taken: a code is needed.').waitFor();
      await field.fill(codeOf(first));
      await page.keyboard.press('Enter');
      await alert.getByText(/is wrong/).waitFor();
      await until('the field has the focus again', async () => (await focus(page)).tag === 'INPUT');
      await field.fill(codeOf(secret));
      await page.keyboard.press('Enter');
      await page.getByText('they are shown this once').waitFor();
      const kept = await page.locator('.recovery code').allInnerTexts();
      assert.equal(new Set(kept).size, 8);
      await looksRight(reviewer, 'codes-recovery');
      await reviewer.press('I have kept them');
      await page.getByText('Your codes count.').waitFor();
      assert.equal(await page.locator('.recovery').count(), 0);
      await page.getByRole('row', { name: /^operator valid .* 8 / }).waitFor();

      const code = page.getByLabel('A code, or a recovery code');
      await code.fill(kept[0]);
      await reviewer.press('Renew the recovery codes');
      await page.getByText('they are shown this once').waitFor();
      const renewed = await page.locator('.recovery code').allInnerTexts();
      assert.ok(!renewed.includes(kept[1]));
      await reviewer.press('I have kept them');

      // Another principal's, by who operates; live when the command line enrols it does not come, a look does.
      await told('lock rita');
      await reviewer.go('#/tools');
      await reviewer.go('#/codes');
      await page.getByRole('row', { name: /^rita locked / }).waitFor();
      await looksRight(reviewer, 'codes-of-everybody');
      await reviewer.press('Unlock rita');
      await page.getByRole('row', { name: /^rita valid / }).waitFor();
      await reviewer.press('Remove the codes of rita');
      await reviewer.press('Remove them');
      await page.getByRole('row', { name: /^rita / }).waitFor({ state: 'detached' });

      await code.fill('000000');
      await reviewer.press('Remove my codes');
      await reviewer.press('Remove them');
      await alert.getByText(/^Your codes were not removed: .* is wrong\.$/).waitFor();
      await code.fill(renewed[7]);
      await tabTo(page, 'Remove my codes');
      await page.keyboard.press('Enter');
      assert.equal((await focus(page)).named, 'Remove them');
      await page.keyboard.press('Enter');
      await page.getByText('You have none.').waitFor();
    });
  },

  async codes_are_for_who_may_approve() {
    const visitor = await loggedIn(options.key);
    await visitor.go('#/codes');
    await visitor.page.getByText('to have codes takes a key with the scope approve').waitFor();
    assert.equal(await visitor.page.locator('main button').count(), 0);
    assert.deepEqual(await visitor.accessibilityFaults(), []);
    await visitor.close();
  },
};
