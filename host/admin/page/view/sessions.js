// The sessions of clients, and one of them with its calls.
import { announce, el, facts, replace, replaceNear, table } from '../part/dom.js';
import { GroupsPart } from '../part/groups.js';
import { coalesced } from '../part/coalesced.js';
import { Sure } from '../part/sure.js';
import { moment } from '../part/time.js';

const kMostShown = 200;

const made = (session) => (session.made_by === 'mcp' ? 'MCP client' : 'REST');
const whose = (session) => (session.agent ? `${session.principal}, as ${session.agent}` : session.principal);
const link = (id) => el('a', { href: `#/sessions/${encodeURIComponent(id)}` }, el('code', {}, id));

export class SessionsView {
  title = 'Sessions';
  topics = ['external', 'sessions'];
  element = el('div');
  #api;
  #body = el('div');

  constructor({ api }) {
    this.#api = api;
    replace(this.element, el('h1', { tabindex: '-1' }, 'Sessions'), this.#body);
  }

  show() {
    return this.refresh();
  }

  refresh = coalesced(async () => {
    const { sessions, next } = await this.#api.get(`/v1/sessions?limit=${kMostShown}`);
    replaceNear(this.#body, this.element.querySelector('h1'),
      el('p', { class: 'count' }, sessions.length === 0 ? 'There are no sessions.' : sessions.length === 1 ? '1 session.'
        : `${sessions.length} sessions.`, next && ' There are more: toolpost sessions lists all.'),
      sessions.length > 0 && table('Sessions', ['Session', 'For', 'Made by', 'Began', 'Used', 'Ends'],
        sessions.map((session) => [link(session.id), whose(session), made(session), moment(session.created),
          moment(session.used), session.expires ? moment(session.expires) : 'with its client'])));
  });
}

const marks = { pending: 'open', in_progress: 'in progress', completed: 'done' };

const todoList = (todos) => todos?.length > 0 && [el('h2', {}, 'Todos'),
  el('ul', { 'aria-label': 'Todos' }, todos.map((todo) => el('li', {}, `${marks[todo.status]}: ${todo.content}`,
    todo.priority && ` (priority: ${todo.priority})`)))];

const words = { PENDING: 'waits', PROCESSING: 'is worked on', COMPLETE: 'complete', ERROR: 'failed' };

export class SessionView {
  nav = 'sessions';
  topics = ['external', 'sessions'];
  element = el('div');
  #api;
  #person;
  #id;
  #alert = el('p', { class: 'alert', role: 'alert' });
  #about = el('div');
  #groups;
  #calls = el('div');
  #listed = { requests: [] };
  #sure = new Sure(() => this.#show());

  constructor({ api, person }, id) {
    this.#api = api;
    this.#person = person;
    this.#id = id;
    this.#groups = new GroupsPart(api, id);
    this.title = `Session ${id}`;
    replace(this.element, el('p', { class: 'lead' }, el('a', { href: '#/sessions' }, 'All sessions')),
      el('h1', { tabindex: '-1' }, 'Session'), this.#alert, this.#about,
      this.#groups.element, this.#calls);
  }

  show() {
    replace(this.#alert);
    return this.refresh();
  }

  refresh = coalesced(async () => {
    const path = encodeURIComponent(this.#id);
    let session;
    try {
      session = await this.#api.get(`/v1/sessions/${path}`);
    } catch (error) {
      if (error.status !== 404) throw error;
      replace(this.#calls);
      this.#groups.clear();
      return replace(this.#about, el('p', { class: 'hint' }, 'There is no such session: it may have ended.'));
    }
    const tools = Object.keys(session.customizations?.extensions?.tools ?? {});
    replace(this.#about, facts([['Session', session.id], ['For', whose(session)], ['Made by', made(session)],
      ['Began', moment(session.created)], ['Used', moment(session.used)], ['Mode', session.mode],
      ['Own tools', tools.join(', ')]]), todoList(session.todos));
    // Calls belong to the session's own principal, who calls; an administrator does not read them.
    const own = this.#person.principal === session.principal && this.#person.scopes.includes('call');
    await this.#groups.refresh(own);
    if (!own) return replace(this.#calls, el('p', { class: 'hint' }, 'Only its own principal sees the calls of a session.'));
    this.#listed = await this.#api.get(`/v1/tools/request/${path}?limit=${kMostShown}`);
    this.#show();
  });

  #show() {
    const { requests, next } = this.#listed;
    replaceNear(this.#calls, this.element.querySelector('h1'), el('h2', {}, 'Calls'),
      el('p', { class: 'count' }, requests.length === 0 ? 'No calls are kept.' : `${requests.length} calls, the oldest first.`,
        next && ' There are more: toolpost calls list lists all.'),
      requests.length > 0 && table('Calls', ['Call', 'Tool', 'State', 'Made', 'Last heartbeat', 'Cancel'],
        requests.map((one) => this.#row(one))));
  }

  #row(one) {
    const why = one.code ?? one.reason;
    const over = one.state === 'COMPLETE' || one.state === 'ERROR';
    return [el('code', {}, one.id), one.name, why ? `${words[one.state]}: ${why}` : words[one.state], moment(one.created),
      one.heartbeat ? moment(one.heartbeat) : '-',
      over ? '-' : this.#sure.control(one.id, { label: 'Cancel', about: `Cancel ${one.name}, ${one.id}`,
        question: 'What it did until now stands. Cancel it?', yes: 'Cancel it', act: () => this.#cancel(one) })];
  }

  async #cancel(one) {
    replace(this.#alert);
    try {
      await this.#api.send('DELETE', `/v1/tools/request/${encodeURIComponent(this.#id)}/${encodeURIComponent(one.id)}`);
      announce(`The call of ${one.name} was cancelled.`);
    } catch (error) {
      if (error.status === 401) return;
      replace(this.#alert, `The call was not cancelled: ${error.message}.`);
    }
    await this.refresh().catch(() => {});
  }
}
