// The calls that wait for a person, as the host last told them.
import { coalesced } from '../part/coalesced.js';

const kPage = 500;

export class Pending extends EventTarget {
  records = [];  // all of them, those that expire first before the others; without long texts
  count = 0;
  areMore = false;  // more wait than `count`
  #api;
  #clock = { server: Date.now(), here: performance.now() };

  constructor(api) {
    super();
    this.#api = api;
  }

  refresh = coalesced(async () => {
    const all = new Map();
    for (let before = ''; before !== undefined;) {
      const { now, approvals, older } = await this.#api.get(`/v1/approvals?state=pending&texts=short&limit=${kPage}${before}`);
      this.#setClock(now);
      for (const record of approvals) all.set(record.id, record);
      before = older && `&before=${encodeURIComponent(older)}`;
    }
    const time = (record) => [Date.parse(record.expires), Date.parse(record.created)];
    this.records = [...all.values()].sort((a, b) => {
      const [[soon, early], [late, recent]] = [time(a), time(b)];
      return soon - late || early - recent;
    });
    this.#counted(this.records.length, false);
    this.dispatchEvent(new Event('change'));
  });

  // Only how many wait: one short answer, whatever their arguments are.
  recount = coalesced(async () => {
    const { now, approvals, older } = await this.#api.get(`/v1/approvals?state=pending&texts=none&limit=${kPage}`);
    this.#setClock(now);
    this.#counted(approvals.length, older !== undefined);
  });

  #setClock(now) {
    this.#clock = { server: Date.parse(now), here: performance.now() };
  }

  #counted(count, areMore) {
    this.count = count;
    this.areMore = areMore;
    this.dispatchEvent(new Event('count'));
  }

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

  // One record with all its texts.
  find(id) {
    return this.#api.get(`/v1/approvals/${encodeURIComponent(id)}`);
  }

  // Without long texts. Fewer than `limit`, and `older`, if their arguments are large.
  latest(limit) {
    return this.#api.get(`/v1/approvals?state=all&texts=short&limit=${limit}`);
  }
}
