// Every question that the host still keeps, answered or not.
import { coalesced } from '../part/coalesced.js';
import { el, replace, table } from '../part/dom.js';
import { compare, differencesBox } from '../part/differences.js';
import { pretty } from '../part/json_text.js';
import { keptText } from '../part/late.js';
import { moment } from '../part/time.js';

const kLatest = 200;

function differencesOf({ arguments_text: asked, edited_text: edited }) {
  return asked && edited && differencesBox(compare(pretty(asked), pretty(edited)));
}

function argumentsOf(record, find) {
  const isEdited = record.edited_text || record.edited_bytes;
  const shown = { ...record, edited_bytes: record.edited_bytes ?? record.arguments_bytes };  // they are compared
  return keptText(shown, isEdited ? 'edited' : 'arguments', {
    attributes: { 'data-key': `arguments-${record.id}` }, label: `Arguments of ${record.id}`, find, more: differencesOf,
    summary: [isEdited ? 'Edited' : 'Show', el('span', { class: 'only-heard' }, ` arguments of ${record.id}`)] });
}

export class AllApprovalsView {
  title = 'All questions';
  nav = 'approvals';
  topics = ['approvals'];
  element = el('div');
  #pending;
  #read = new Map();  // whole records that were opened, by id and state: each event makes the boxes anew
  #body = el('div');

  constructor({ pending }) {
    this.#pending = pending;
    replace(this.element, el('h1', { tabindex: '-1' }, 'All questions'),
      el('p', { class: 'lead' }, el('a', { href: '#/approvals' }, 'Only those that wait')), this.#body);
  }

  show() {
    return this.refresh();
  }

  hide() {
    this.#read.clear();
  }

  #whole({ id, state }) {
    const key = `${id} ${state}`;
    if (!this.#read.has(key)) {
      const found = this.#pending.find(id);
      this.#read.set(key, found);
      found.catch(() => this.#read.delete(key));
    }
    return this.#read.get(key);
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
        record.decided_by, record.note, argumentsOf(record, () => this.#whole(record))])),
    older && el('p', {}, 'There are older questions: toolpost approvals --all lists them.'));
  });
}
