// Every question that the host still keeps, answered or not.
import { coalesced } from '../part/coalesced.js';
import { el, replace, table } from '../part/dom.js';
import { compare, differencesBox } from '../part/differences.js';
import { jsonBox, pretty } from '../part/json_text.js';
import { moment } from '../part/time.js';

const kLatest = 200;

function argumentsOf(record) {
  const { arguments_text: asked, edited_text: edited } = record;
  if (!asked) return 'Not kept: they were large, and nobody answered.';
  return el('details', { 'data-key': `arguments-${record.id}` },
    el('summary', {}, edited ? 'Edited' : 'Show', el('span', { class: 'only-heard' }, ` arguments of ${record.id}`)),
    jsonBox(edited || asked, `Arguments of ${record.id}`),
    edited && differencesBox(compare(pretty(asked), pretty(edited))));
}

export class AllApprovalsView {
  title = 'All questions';
  nav = 'approvals';
  topics = ['approvals'];
  element = el('div');
  #pending;
  #body = el('div');

  constructor({ pending }) {
    this.#pending = pending;
    replace(this.element, el('h1', { tabindex: '-1' }, 'All questions'),
      el('p', { class: 'lead' }, el('a', { href: '#/approvals' }, 'Only those that wait')), this.#body);
  }

  show() {
    return this.refresh();
  }

  refresh = coalesced(async () => {
    const { approvals: records, older } = await this.#pending.latest(kLatest);
    if (!records.length) {
      replace(this.#body, el('p', {}, 'Nothing was asked yet.'));
      return;
    }
    replace(this.#body, table('Questions, the newest first',
      ['Tool', 'State', 'Asked by', 'Asked at', 'Answered by', 'Note', 'Arguments'],
      records.map((record) => [record.tool, record.state, record.principal, moment(record.created),
        record.decided_by, record.note, argumentsOf(record)])),
    older && el('p', {}, 'There are older questions: toolpost approvals --all lists them.'));
  });
}
