// The audit: who called what, how it was decided and how it ended, and who came in or changed what. Every line
// stands there whole, as it is in the file.
import { button, el, replace, table } from '../part/dom.js';
import { jsonBox, member, parse } from '../part/json_text.js';
import { moment } from '../part/time.js';

const kAtOnce = 100;
const events = [['', 'everything'], ['call', 'calls'], ['approval', 'answers to questions'],
  ['answer', 'answers of clients'], ['rule', 'rules'],
  ['cancel', 'calls that an operator ended'], ['plugin', 'orders to plugins'], ['upstream', 'orders to upstreams'],
  ['skill', 'orders to repositories of skills'], ['config', 'readings of the configuration'], ['login', 'logins'], ['logout', 'logouts'], ['link', 'links to the page'],
  ['key', 'keys'], ['session', 'sessions'], ['totp', 'one-time codes'], ['code', 'refused one-time codes'],
  ['lockout', 'lockouts'], ['start', 'starts of a host'], ['stop', 'stops of a host'], ['begin', 'calls that began'],
  ['audit', 'failures of the audit'], ['webhook', 'webhooks']];
const names = ['tool', 'resource', 'prompt', 'completion'];
const orderedOf = ['upstream', 'repository', 'plugin'];

const textIn = (line, key) => {
  const node = member(line, key);
  return node?.kind === 'string' ? JSON.parse(node.raw) : '';
};

function whatOf(line) {
  const event = textIn(line, 'event');
  const action = textIn(line, 'action');
  const what = action.startsWith(`${event}-`) ? action : `${event} ${action}`.trim();
  const first = (keys) => keys.map((key) => textIn(line, key)).find((text) => text) ?? '';
  const name = first(names) || first(orderedOf).replace(/ sha256:[0-9a-f]*$/, '');
  return what && name ? `${what} of ${name}` : what || name || '-';
}

// A filter's time as lines have theirs: UTC.
function timeOf(local) {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

export class AuditView {
  title = 'Audit';
  element = el('div');
  #api;
  #lines = [];
  #older = '';
  #isWhole = true;
  #query = '';
  #asked = 0;
  #fields = {
    tool: el('input', { type: 'text', id: 'audit-tool', autocomplete: 'off', spellcheck: 'false' }),
    principal: el('input', { type: 'text', id: 'audit-principal', autocomplete: 'off', spellcheck: 'false' }),
    agent: el('input', { type: 'text', id: 'audit-agent', autocomplete: 'off', spellcheck: 'false' }),
    event: el('select', { id: 'audit-event' }, events.map(([value, label]) => el('option', { value }, label))),
    outcome: el('input', { type: 'text', id: 'audit-outcome', autocomplete: 'off', spellcheck: 'false' }),
    since: el('input', { type: 'datetime-local', id: 'audit-since', step: '1' }),
    until: el('input', { type: 'datetime-local', id: 'audit-until', step: '1' }),
  };
  #alert = el('p', { class: 'alert', role: 'alert' });
  #count = el('p', { class: 'hint', role: 'status', 'aria-label': 'Lines found' });
  #body = el('div');
  #more = el('div', { class: 'buttons' });

  constructor({ api }) {
    this.#api = api;
    const labels = { tool: 'Tool, resource or prompt', principal: 'Principal', agent: 'Agent', event: 'What',
      outcome: 'Outcome', since: 'Since', until: 'Until' };
    const submitted = (event) => {
      event.preventDefault();
      this.#look();
    };
    replace(this.element, el('h1', { tabindex: '-1' }, 'Audit'),
      el('form', { class: 'filters', role: 'search', 'aria-label': 'Lines of the audit', onsubmit: submitted },
        Object.entries(this.#fields).map(([name, field]) =>
          el('div', {}, el('label', { for: field.id }, labels[name]), field)),
        el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'yes' }, 'Look'))),
      this.#alert, this.#count, this.#body, this.#more);
  }

  show() {
    return this.#begin();
  }

  #look() {
    replace(this.#alert);
    this.#begin().catch((error) => this.#failed(error));
  }

  // The newest that the filters let through.
  #begin() {
    const query = new URLSearchParams({ limit: String(kAtOnce) });
    for (const [name, field] of Object.entries(this.#fields)) {
      const value = field.type === 'datetime-local' ? timeOf(field.value) : field.value.trim();
      if (value) query.set(name, value);
    }
    this.#query = String(query);
    this.#older = '';
    replace(this.#more);  // it belongs to the filters before
    return this.#fetch('', []);
  }

  // What is asked for later makes an earlier answer void.
  async #fetch(before, kept) {
    const number = ++this.#asked;
    const text = await this.#api.text(`/v1/audit?${this.#query}${before && `&before=${encodeURIComponent(before)}`}`);
    if (number !== this.#asked) return;
    const answer = parse(text);
    this.#lines = [...kept, ...member(answer, 'lines').items];
    this.#older = textIn(answer, 'older');
    this.#isWhole = member(answer, 'whole')?.raw !== 'false';
    replace(this.#alert);
    this.#render();
  }

  #failed(error) {
    if (error.status !== 401) replace(this.#alert, `The audit could not be read: ${error.message}.`);
  }

  #render() {
    const count = this.#lines.length;
    this.#count.textContent = `${count === 1 ? '1 line' : `${count} lines`}, the newest first${
      this.#older ? '; there may be older ones' : ''}${
      this.#isWhole ? '' : '. The newest lines are missing, because the host still reads the file: look again later'}`;
    const rows = this.#lines.map((line, i) => this.#row(line, `line ${i + 1}`));
    replace(this.#body, count > 0 && table('The audit, the newest first',
      ['At', 'What', 'Principal', 'By', 'Outcome', 'Line'], rows));
    replace(this.#more, this.#older
      && button('Older lines', (event) => this.#goOn(event.currentTarget), { 'data-key': 'older' }));
  }

  #row(line, name) {
    const by = textIn(line, 'by') || textIn(line, 'rule');
    return [moment(textIn(line, 'time')), whatOf(line), textIn(line, 'principal') || '-', by || '-',
      textIn(line, 'outcome') || '-',
      el('details', { 'data-key': [textIn(line, 'time'), textIn(line, 'call'), whatOf(line)].join(' ') },
        el('summary', {}, 'Whole', el('span', { class: 'only-heard' }, ` ${name}`)),
        jsonBox(line.raw, `Whole ${name}`))];
  }

  async #goOn(pressed) {
    if (pressed.disabled) return;
    pressed.disabled = true;
    const first = this.#lines.length;
    try {
      await this.#fetch(this.#older, this.#lines);
      const row = this.#body.querySelectorAll('tbody tr')[first];
      (row?.querySelector('summary') ?? this.element.querySelector('h1')).focus();
    } catch (error) {
      pressed.disabled = false;
      this.#failed(error);
    }
  }
}
