// The calls that wait for a person, as the host last told them.
import { coalesced } from '../part/coalesced.js';

const kPage = 500;

export class Pending extends EventTarget {
  records = [];  // all of them, those that expire first before the others
  #api;
  #clock = { server: Date.now(), here: performance.now() };

  constructor(api) {
    super();
    this.#api = api;
  }

  refresh = coalesced(async () => {
    const all = new Map();
    for (let before = ''; before !== undefined;) {
      const { now, approvals, older } = await this.#api.get(`/v1/approvals?state=pending&limit=${kPage}${before}`);
      this.#clock = { server: Date.parse(now), here: performance.now() };
      for (const record of approvals) all.set(record.id, record);
      before = older && `&before=${encodeURIComponent(older)}`;
    }
    const time = (record) => [Date.parse(record.expires), Date.parse(record.created)];
    this.records = [...all.values()].sort((a, b) => {
      const [[soon, early], [late, recent]] = [time(a), time(b)];
      return soon - late || early - recent;
    });
    this.dispatchEvent(new Event('change'));
  });

  // Until a record expires, by the host's clock: the browser's may be wrong.
  leftMs(record) {
    const now = this.#clock.server + (performance.now() - this.#clock.here);
    return Date.parse(record.expires) - now;
  }

  // The answer to one record: the record afterwards. `argumentsText` is spliced in as it was typed;
  // `always` is for whom: principal, session, agent or host.
  answer(record, decision, { note, code, always, argumentsText, answer } = {}) {
    const members = [`"decision":${JSON.stringify(decision)}`, `"digest":${JSON.stringify(record.digest)}`];
    if (note) members.push(`"note":${JSON.stringify(note)}`);
    if (always) members.push(`"always":${JSON.stringify(always)}`);
    if (code) members.push(`"code":${JSON.stringify(code)}`);
    if (answer !== undefined) members.push(`"answer":${JSON.stringify(answer)}`);
    if (argumentsText !== undefined) members.push(`"arguments":${argumentsText}`);
    return this.#api.send('POST', `/v1/approvals/${encodeURIComponent(record.id)}`, `{${members.join(',')}}`);
  }

  find(id) {
    return this.#api.get(`/v1/approvals/${encodeURIComponent(id)}`);
  }

  // Fewer than `limit`, and `older`, if their arguments are large.
  latest(limit) {
    return this.#api.get(`/v1/approvals?state=all&limit=${limit}`);
  }
}
