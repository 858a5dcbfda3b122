// The calls that wait for a person, a card each, those that expire first before the others. A card stays where it
// is once shown, with its outcome, and gives no room back while its neighbours may be pressed, so that nothing moves
// under a hand; new ones come at the end. Of very many the first are shown, and more when the reader wants them.
import { ArgumentsEditor } from '../part/editor.js';
import { announce, button, el, facts, plain, replace } from '../part/dom.js';
import { jsonBox } from '../part/json_text.js';
import { isQuestion, questionForm } from '../part/question.js';
import { cut, isCut, keptText } from '../part/late.js';
import { moment, span } from '../part/time.js';

const kSoonMs = 30000;
const kLatest = 100;
const kShownAtOnce = 100;
const kSettledKept = 20;
const kLongAnswer = 500;  // characters; a longer one could take more room than the question

// For whom an "always" may be, the fewest first.
const reachesOf = ({ principal, agent, session }) => [
  ['principal', `calls of ${plain(principal)}${agent ? ` as ${plain(agent)}` : ''}`],
  ...session ? [['session', 'calls of this session']] : [],
  ...agent ? [['agent', `calls of everybody as ${plain(agent)}`]] : [],
  ['host', 'all calls of everybody'],
];

function outcomeOfQuestion(record, by) {
  switch (record.state) {
    case 'answered': return `Answered${by}.`;
    case 'used': return `Answered${by}, and read by the caller.`;
    case 'rejected': return `Declined${by}.`;
    case 'expired': return 'Nobody answered in time.';
    case 'withdrawn': return 'The caller withdrew it.';
    default: return null;
  }
}

export function outcomeOf(record) {
  const by = record.decided_by ? ` by ${record.decided_by}` : '';
  const ofQuestion = isQuestion(record) && outcomeOfQuestion(record, by);
  if (ofQuestion) return ofQuestion;
  switch (record.state) {
    case 'pending': return 'It waits for an answer.';
    case 'approved': return `Approved${by}.`;
    case 'used': return `Approved${by}, and let through.`;
    case 'rejected': return `Rejected${by}.`;
    case 'expired': return 'Nobody answered in time. It did not run.';
    case 'withdrawn': return 'The caller withdrew it. It did not run.';
    case 'forgotten': return 'It is not kept any more.';
    default: return `It is ${record.state}.`;
  }
}

// Of a waiting call: whole, or the room for it until it is read.
function textBox(record, name, label) {
  const text = record[`${name}_text`];
  return record[`${name}_bytes`] === undefined ? jsonBox(text, label) : el('pre', { class: 'code awaited' }, 'It is read...');
}

let cards = 0;

export class Card {
  element;
  record;
  #pending;
  #mayAnswer;
  #editor = null;
  #left;
  #buttons;
  #form;
  #alert;
  #code = null;
  #always = null;
  #reach = null;
  #sending = false;
  #reading = false;

  constructor(record, pending, mayAnswer) {
    this.#pending = pending;
    this.#mayAnswer = mayAnswer;
    this.id = `approval-${++cards}`;
    this.element = el('article', { class: 'card', 'aria-labelledby': this.id });
    this.show(record);
  }

  get waits() {
    return this.record.state === 'pending';
  }

  // An answer of ours is on its way; what comes back settles it.
  get sending() {
    return this.#sending;
  }

  show(record) {
    this.record = record;
    this.#left = el('p', { class: 'left' });
    this.#alert = el('p', { class: 'alert', role: 'alert' });
    const size = record.arguments_bytes === undefined
      ? `${record.arguments_text.length} characters, whole and exactly as they will run` : `${record.arguments_bytes} bytes`;
    replace(this.element,
      this.#heading(),
      this.#left,
      record.reason && el('p', { class: 'reason' }, record.reason),
      !isQuestion(record) && [el('h3', {}, 'Arguments'),
        textBox(record, 'arguments', `Arguments of ${record.tool}`),
        el('p', { class: 'hint' }, size)],
      (record.context_text || record.context_bytes) && [el('h3', {}, 'Context'),
        textBox(record, 'context', `Context of ${record.tool}`),
        el('p', { class: 'hint' }, 'The client sent it with this call. The tool gets it, the model does not.')],
      facts([
        ['Asked by', record.agent ? `${record.principal}, as ${record.agent}` : record.principal],
        ['Asked at', moment(record.created)],
        ['Then runs', record.covers?.length ? record.covers.join(', ') : undefined],
      ]),
      el('details', {}, el('summary', {}, 'More about this question'),
        facts([
          ['Question', el('code', {}, record.id)],
          ['Digest of what was shown', el('code', {}, record.digest)],
          ['Session', record.session && el('code', {}, record.session)],
        ])),
      this.#mayAnswer ? this.#answers() : el('p', { class: 'hint' }, 'Your key may not answer this.'),
      this.#alert);
    this.tick();
    if (isCut(record)) this.#readWhole();
  }

  // The list has told of it again.
  again(record) {
    if (this.record.digest !== record.digest) this.show(record);
    else if (isCut(this.record)) this.#readWhole();
  }

  // Nobody answers what they could not read.
  async #readWhole() {
    for (const one of this.element.querySelectorAll('button, input, select, textarea')) one.disabled = true;
    if (this.#reading) return;
    this.#reading = true;
    try {
      const whole = await this.#pending.find(this.record.id);
      if (this.waits && whole.state === 'pending') this.show(whole);
    } catch (error) {
      if (this.waits && error.status !== 401) replace(this.#alert, `The arguments cannot be read: ${error.message}.`);
    } finally {
      this.#reading = false;
    }
  }

  // Once a second.
  tick() {
    if (!this.waits) return;
    const left = this.#pending.leftMs(this.record);
    this.#left.textContent = left > 0 ? `${span(left)} left to answer` : 'The time to answer is over';
    this.#left.classList.toggle('soon', left < kSoonMs);
  }

  // It waits no longer; `told` is what the reader must know first. The focus does not get lost.
  settle(record, told) {
    const focused = this.element.contains(document.activeElement);
    if (this.waits) this.element.style.minHeight = `${this.element.getBoundingClientRect().height}px`;
    this.record = cut(record);
    const outcome = el('p', { class: `outcome ${record.state}`, tabindex: '-1' },
      told && `${told} `, outcomeOf(record));
    this.element.classList.add('settled');
    replace(this.element, this.#heading(), outcome,
      record.note && el('p', { class: 'reason' }, `Note: ${record.note}`),
      record.answer && this.#answerGiven(record.answer),
      record.edited_text || record.edited_bytes ? this.#kept('edited', 'Arguments, as edited') : this.#kept('arguments', 'Arguments'),
      (record.context_text || record.context_bytes) && this.#kept('context', 'Context'));
    if (focused) outcome.focus({ preventScroll: true });
    announce(`${record.tool}: ${told ? `${told} ` : ''}${outcomeOf(record)}`);
  }

  #answerGiven(answer) {
    if (answer.length <= kLongAnswer) return el('p', { class: 'reason' }, `Answer: ${answer}`);
    return el('details', {}, el('summary', {}, 'Answer'), el('p', { class: 'reason' }, answer));
  }

  #kept(name, summary) {
    const label = `${name === 'context' ? 'Context' : 'Arguments'} of ${this.record.tool}`;
    return keptText(this.record, name, { summary, label, find: (id) => this.#pending.find(id) });
  }

  #heading() {
    return el('h2', { id: this.id }, this.record.tool, ' ', el('span', { class: 'of' }, `of ${this.record.provider}`));
  }

  #answers() {
    if (isQuestion(this.record)) {
      return questionForm(this.record, this.id, {
        send: (text) => this.#answer('answer', '', undefined, text),
        decline: (note) => this.#answer('reject', note),
      });
    }
    const about = plain(this.record.tool);
    const note = el('input', { type: 'text', maxlength: '500', id: `${this.id}-note`, autocomplete: 'off' });
    this.#code = this.record.needs_code && el('input', { type: 'text', maxlength: '64', id: `${this.id}-code`,
      inputmode: 'numeric', autocomplete: 'one-time-code', spellcheck: 'false' });
    const rules = this.record.suggestions ?? [];
    this.#always = rules.length > 0 && el('input', { type: 'checkbox', id: `${this.id}-always` });
    this.#reach = this.#always && el('select', { id: `${this.id}-reach`, 'aria-label': 'For whom, with always' },
      reachesOf(this.record).map(([value, label]) => el('option', { value }, label)));
    this.#buttons = el('div', { class: 'buttons' });
    this.#form = el('div', { class: 'answer' },
      this.#code && el('label', { for: this.#code.id }, `One-time code of ${plain(this.record.principal)}, for a yes`),
      this.#code,
      el('label', { for: note.id }, 'Note, which the caller reads after a no'), note,
      this.#always && el('p', { class: 'always' }, this.#always, ' ',
        el('label', { for: this.#always.id }, 'Always, with a yes: such calls are not asked about any more, if they are'),
        ' ', this.#reach,
        el('ul', {}, rules.map((rule) => el('li', {}, el('code', {}, rule))))),
      this.#buttons);
    const showButtons = () => replace(this.#buttons,
      button('Approve', () => this.#answer('approve', note.value), { class: 'yes', 'aria-label': `Approve ${about}` }),
      button('Reject', () => this.#answer('reject', note.value), { class: 'no', 'aria-label': `Reject ${about}` }),
      button('Edit the arguments', () => this.#edit(note, showButtons), { 'data-key': 'edit' }));
    showButtons();
    return this.#form;
  }

  #edit(note, showButtons) {
    this.#editor = new ArgumentsEditor(this.record, {
      send: (text) => this.#answer('approve', note.value, text),
      leave: () => {
        this.#editor.element.remove();
        this.#editor = null;
        this.#offerAlways(true);
        showButtons();
        this.#buttons.querySelector('[data-key=edit]').focus();
      },
    });
    this.#offerAlways(false);
    replace(this.#buttons);
    this.#form.append(this.#editor.element);
    this.#editor.focus();
  }

  // The rules are those of the caller's arguments, so that other arguments cannot come with them.
  #offerAlways(offered) {
    if (!this.#always) return;
    this.#always.disabled = !offered;
    this.#reach.disabled = !offered;
    if (!offered) this.#always.checked = false;
  }

  async #answer(decision, note, argumentsText, answer) {
    if (this.#sending) return;
    this.#busy(true);
    replace(this.#alert);
    try {
      const code = decision === 'approve' && this.#code ? this.#code.value.trim() : undefined;
      const always = decision === 'approve' && argumentsText === undefined && this.#always && this.#always.checked
        ? this.#reach.value : undefined;
      const record = await this.#pending.answer(this.record, decision, { note, code, always, argumentsText, answer });
      this.settle(record, record.warning ? `Your answer was taken, but ${record.warning}.` : 'Your answer was taken.');
    } catch (error) {
      this.#refused(error);
    } finally {
      this.#busy(false);
    }
    this.#pending.refresh().catch(() => {});
  }

  #refused(error) {
    const now = error.answer?.approval;
    if (error.status === 409 && now && now.state !== 'pending') {
      this.settle(now, 'Your answer was not taken, because this was settled before.');
    } else if (error.status === 409 && now) {
      this.show(now);
      replace(this.#alert, 'Your answer was not taken, because the call is not the one that was shown. Read it again.');
    } else {
      replace(this.#alert, `Your answer was not taken: ${error.message}.`);
    }
  }

  #busy(busy) {
    this.#sending = busy;
    this.element.setAttribute('aria-busy', String(busy));
  }
}

export class ApprovalsView {
  title = 'Approvals';
  element = el('div');
  #pending;
  #person;
  #cards = new Map();
  #list = el('div', { class: 'cards' });
  #count = el('p', { 'aria-live': 'polite', class: 'count' });
  #more = el('div', { class: 'buttons' });
  #most = kShownAtOnce;  // cards of calls that wait
  #isBack = false;  // what was settled while another view was shown is not told
  #timer = 0;

  constructor({ pending, person }) {
    this.#pending = pending;
    this.#person = person;
    replace(this.element,
      el('h1', { tabindex: '-1' }, 'Approvals'),
      el('p', { class: 'lead' }, this.#count, el('a', { href: '#/approvals/all' }, 'All questions')),
      this.#list, this.#more);
    pending.addEventListener('change', () => this.#render());
  }

  show() {
    this.#remove([...this.#cards.values()].filter((card) => !card.waits));
    this.#isBack = true;
    this.#timer = setInterval(() => this.#tick(), 1000);
    return this.refresh();
  }

  hide() {
    clearInterval(this.#timer);
  }

  refresh() {
    return this.#pending.refresh();
  }

  #tick() {
    for (const card of this.#cards.values()) card.tick();
    this.#trim();
    const over = (card) => card.waits && this.#pending.leftMs(card.record) <= 0;
    if ([...this.#cards.values()].some(over)) this.refresh().catch(() => {});
  }

  #render() {
    const { records } = this.#pending;
    const waiting = new Map(records.map((record) => [record.id, record]));
    let shown = records.filter((record) => this.#cards.get(record.id)?.waits).length;
    for (const record of records) {
      if (this.#cards.has(record.id) || shown++ < this.#most) this.#put(record);
    }
    const gone = [...this.#cards].filter(([id, card]) => card.waits && !waiting.has(id)).map(([, card]) => card);
    if (this.#isBack) this.#remove(gone);
    else if (gone.length) this.#tellOutcomes(gone).catch(() => {});
    this.#isBack = false;
    this.#offerMore(records.filter((record) => !this.#cards.has(record.id)).length);
    const text = records.length === 0 ? 'Nothing waits for an answer.'
      : records.length === 1 ? '1 call waits for an answer.' : `${records.length} calls wait for an answer.`;
    if (this.#count.textContent !== text) this.#count.textContent = text;
  }

  #offerMore(hidden) {
    const next = Math.min(hidden, kShownAtOnce);
    replace(this.#more, hidden > 0 && button(`Show ${next} more of ${hidden}`, () => {
      const before = this.#list.lastElementChild;
      this.#most += kShownAtOnce;
      this.#render();
      before.nextElementSibling?.querySelector('button')?.focus();
    }, { 'data-key': 'more' }));
  }

  #put(record) {
    const card = this.#cards.get(record.id);
    if (card) {
      if (card.waits && !card.sending) card.again(record);
      return;
    }
    const fresh = new Card(record, this.#pending, this.#person.scopes.includes('approve'));
    this.#cards.set(record.id, fresh);
    this.#list.append(fresh.element);
  }

  async #tellOutcomes(cards) {
    const latest = new Map((await this.#pending.latest(kLatest)).approvals.map((record) => [record.id, record]));
    for (const card of cards.filter((one) => this.#isGone(one))) {
      const record = latest.get(card.record.id) ?? await this.#found(card.record);
      if (record.state !== 'pending' && this.#isGone(card)) card.settle(record);
    }
  }

  #isGone(card) {
    return card.waits && !card.sending && !this.#pending.records.some((record) => record.id === card.record.id);
  }

  async #found(record) {
    try {
      return await this.#pending.find(record.id);
    } catch (error) {
      if (error.status !== 404) throw error;
      return { ...record, state: 'forgotten' };
    }
  }

  #remove(cards) {
    for (const { element, record } of cards) {
      element.remove();
      this.#cards.delete(record.id);
    }
  }

  // The oldest outcomes go while no hand is near the cards; the rest stays where it is seen.
  #trim() {
    const cards = [...this.#cards.values()];
    const settled = cards.filter((card) => !card.waits);
    const isAtWork = this.#list.matches(':hover') || this.#list.querySelector('.card:not(.settled):focus-within');
    if (settled.length <= kSettledKept || isAtWork) return;
    const stays = (cards.find((card) => card.waits) ?? settled.at(-1)).element;
    const top = stays.getBoundingClientRect().top;
    const old = settled.slice(0, settled.length - kSettledKept);
    this.#remove(old.filter((card) => !card.element.contains(document.activeElement)));
    scrollBy(0, stays.getBoundingClientRect().top - top);
  }
}
