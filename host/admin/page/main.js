// Puts the page together: who is logged in, which view the address names, and what changed.
import { ActivityView } from './view/activity.js';
import { AllApprovalsView } from './view/all_approvals.js';
import { Api } from './server/api.js';
import { ApprovalView } from './view/approval.js';
import { ApprovalsView } from './view/approvals.js';
import { AuditView } from './view/audit.js';
import { CallsView } from './view/calls.js';
import { CodesView } from './view/codes.js';
import { DescriptionView } from './view/description.js';
import { announce, button, el, plain, replace } from './part/dom.js';
import { pressOnce } from './part/presses.js';
import { ExternalView } from './view/external.js';
import { Live } from './server/live.js';
import { loginForm, takeLink } from './view/login.js';
import { loginSecret, watchLoginSecret } from './server/login_secret.js';
import { LoginsView } from './view/logins.js';
import { Pending } from './server/pending.js';
import { PluginsView } from './view/plugins.js';
import { RulesView } from './view/rules.js';
import { SessionsView, SessionView } from './view/sessions.js';
import { SkillsView } from './view/skills.js';
import { StoreFault } from './server/store_fault.js';
import { ToolsView } from './view/tools.js';
import { ToolView } from './view/tool.js';
import { UpstreamsView } from './view/upstreams.js';
import { WebhooksView } from './view/webhooks.js';

// Each with the scopes of which a login needs one to see it; none: every login may.
const navigation = [['approvals', 'Approvals', ['approve']], ['external', 'External', ['approve']],
  ['rules', 'Rules', ['approve']], ['calls', 'Calls', ['admin']], ['sessions', 'Sessions', ['call', 'admin']],
  ['tools', 'Tools', ['call']], ['plugins', 'Plugins', ['admin']], ['upstreams', 'Upstreams', ['admin']],
  ['webhooks', 'Webhooks', ['call']], ['skills', 'Skills', ['call']], ['activity', 'Activity', ['admin']], ['audit', 'Audit', ['admin']],
  ['codes', 'Codes', ['approve', 'admin']],
  ['logins', 'Logins', []], ['rest', 'REST', []]];

const kLookAgainMs = 10000;

const at = (id) => document.getElementById(id);

class Page {
  #api = new Api(() => this.#loggedOut('You were logged out.'));
  #pending = null;
  #storeFault = new StoreFault(this.#api, at('store'));
  #live;
  #person = null;
  #views = new Map();
  #shown = null;
  #hash = '';
  #lookingAgain = 0;
  #count = 0;

  constructor() {
    this.#live = new Live(this.#api, {
      changed: (topics) => this.#changed(topics),
      connected: () => this.#connected(),
      broken: () => this.#broken(),
    });
    addEventListener('hashchange', () => this.#route());
    watchLoginSecret(() => this.#loggedElsewhere());
    pressOnce(document);
    document.querySelector('.skip').addEventListener('click', (event) => {
      event.preventDefault();
      at('main').focus();
    });
  }

  // Whoever is logged in stays so, whatever a link says: a link that somebody else made must not change whose answers
  // these are.
  async start() {
    const link = takeLink();
    let why = '';
    const person = await this.#api.whoAmI().catch((error) => {
      why = `The login failed: ${error.message}.`;
    });
    if (person) {
      this.#loggedIn(person);
      if (link) replace(at('notice'), `You are logged in as ${person.principal}. The link was not used.`);
      return;
    }
    try {
      if (link) return this.#loggedIn(await this.#api.logIn({ link }));
    } catch (error) {
      why = error.status === 401 ? 'This link was used or is too old.' : `The login failed: ${error.message}.`;
    }
    this.#loggedOut(why);
  }

  // Another tab logged in or out.
  #loggedElsewhere() {
    if (loginSecret()) this.start();
    else if (this.#person) this.#loggedOut('You were logged out.');
  }

  #loggedIn(person) {
    this.#forgetViews();
    this.#person = person;
    this.#pending = new Pending(this.#api);
    this.#count = 0;
    this.#pending.addEventListener('count', () => this.#counted());
    at('views').hidden = false;
    replace(at('person'), el('span', {}, person.principal), button('Log out', () => this.#logOut()));
    replace(at('main'));
    this.#follow();
    this.#route();
  }

  // The host tells changes to those who may approve; for others the page looks again.
  #follow() {
    clearInterval(this.#lookingAgain);
    if (this.#person.scopes.includes('approve')) this.#live.start();
    else this.#lookingAgain = setInterval(() => this.#lookAgain(), kLookAgainMs);
  }

  #lookAgain() {
    if (!document.hidden && this.#shown?.topics) this.#load(this.#shown, () => this.#shown.refresh());
  }

  #loggedOut(why) {
    this.#live.stop();
    clearInterval(this.#lookingAgain);
    this.#person = null;
    this.#forgetViews();
    at('views').hidden = true;
    replace(at('views'));
    replace(at('person'));
    replace(at('connection'));
    replace(at('notice'));
    this.#storeFault.clear();
    document.title = 'Log in - Toolpost';
    replace(at('main'), loginForm(why, async (key) => this.#loggedIn(await this.#api.logIn({ key }))));
    at('main').querySelector('input').focus();
  }

  #forgetViews() {
    this.#shown?.hide?.();
    this.#shown = null;
    this.#views.clear();
  }

  async #logOut() {
    try {
      await this.#api.logOut();
      this.#loggedOut('');
    } catch (error) {
      if (error.status !== 401) announce(`Still logged in: ${error.message}.`);
    }
  }

  #route() {
    if (location.hash.startsWith('#login=')) {
      this.start();
      return;
    }
    if (!this.#person) return;
    replace(at('notice'));
    this.#hash = location.hash.startsWith('#/') ? location.hash : `#/${this.#tabs()[0][0]}`;
    const first = !this.#shown;
    this.#shown?.hide?.();
    this.#shown = this.#viewOf(this.#hash);
    replace(at('main'), this.#shown.element);
    this.#tellCount();
    this.#load(this.#shown, () => this.#shown.show());
    if (!first) this.#shown.element.querySelector('h1').focus();
    scrollTo(0, 0);
  }

  #tabs() {
    const { scopes } = this.#person;
    return navigation.filter(([, , needed]) => !needed.length || needed.some((scope) => scopes.includes(scope)));
  }

  // A view is kept, with what was typed into it, until the reader logs out.
  #viewOf(hash) {
    if (!this.#views.has(hash)) this.#views.set(hash, this.#made(hash));
    return this.#views.get(hash);
  }

  #made(hash) {
    const context = { api: this.#api, pending: this.#pending, person: this.#person,
      leave: (why) => this.#loggedOut(why) };
    const [, name, ...rest] = hash.split('/');
    if (name === 'tools' && rest.length) return new ToolView(context, nameIn(rest.join('/')));
    if (name === 'tools') return new ToolsView(context);
    if (name === 'plugins') return new PluginsView(context);
    if (name === 'upstreams') return new UpstreamsView(context);
    if (name === 'webhooks') return new WebhooksView(context);
    if (name === 'skills') return new SkillsView(context);
    if (name === 'activity') return new ActivityView(context);
    if (name === 'rules') return new RulesView(context);
    if (name === 'external') return new ExternalView(context);
    if (name === 'sessions' && rest.length) return new SessionView(context, nameIn(rest.join('/')));
    if (name === 'sessions') return new SessionsView(context);
    if (name === 'calls') return new CallsView(context);
    if (name === 'audit') return new AuditView(context);
    if (name === 'codes') return new CodesView(context);
    if (name === 'logins') return new LoginsView(context);
    if (name === 'rest') return new DescriptionView(context);
    if (name === 'approvals' && rest[0] === 'all') return new AllApprovalsView(context);
    if (name === 'approvals' && rest[0]) return new ApprovalView(context, nameIn(rest.join('/')));
    return new ApprovalsView(context);
  }

  // What went wrong stands above the view until it loads again.
  async #load(view, work) {
    const fault = view.fault ??= el('p', { class: 'alert', role: 'alert' });
    try {
      await work();
      fault.remove();
    } catch (error) {
      if (error.status === 401) return;
      replace(fault, `This could not be loaded: ${error.message}.`);
      view.element.prepend(fault);
    }
  }

  #changed(topics) {
    const pending = topics.includes('approvals');
    if (this.#shown?.topics?.some((topic) => topics.includes(topic))) {
      this.#load(this.#shown, () => this.#shown.refresh());
    }
    if (pending) this.#countPending();
    if (topics.includes('store')) this.#storeFault.refresh().catch(() => {});
  }

  #connected() {
    replace(at('connection'));
    this.#countPending();
    this.#storeFault.refresh().catch(() => {});
    const view = this.#shown;
    if (view?.topics) this.#load(view, () => view.refresh());
  }

  // Only the view that shows them reads them all.
  #countPending() {
    const work = this.#shown instanceof ApprovalsView ? this.#pending.refresh() : this.#pending.recount();
    work.catch(() => {});
  }

  #broken() {
    replace(at('connection'), 'Not connected; trying again.');
    // Where it is our login that ended, this says so.
    this.#api.get('/v1/login').catch(() => {});
  }

  // The view of those that wait says so itself.
  #counted() {
    const { count } = this.#pending;
    const elsewhere = this.#shown && !(this.#shown instanceof ApprovalsView);
    if (elsewhere && count > this.#count) announce(count === 1 ? '1 call waits.' : `${this.#countText()} calls wait.`);
    this.#count = count;
    this.#tellCount();
  }

  #countText() {
    const { count, areMore } = this.#pending;
    return areMore ? `${count}+` : String(count);
  }

  #tellCount() {
    if (!this.#shown) return;
    const count = this.#count;
    const told = this.#countText();
    const here = this.#shown.nav ?? this.#hash.split('/')[1];
    const current = navigation.some(([name]) => name === here) ? here : 'approvals';
    const badge = count > 0 && [' ', el('span', { class: 'badge' }, told,
      el('span', { class: 'only-heard' }, count === 1 ? ' waits' : ' wait'))];
    replace(at('views'), el('ul', {}, this.#tabs().map(([name, label]) => {
      const attributes = { href: `#/${name}`, 'data-key': name, 'aria-current': name === current && 'page' };
      return el('li', {}, el('a', attributes, label, name === 'approvals' && badge));
    })));
    document.title = `${count ? `(${told}) ` : ''}${plain(this.#shown.title)} - Toolpost`;
  }
}

function nameIn(encoded) {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

new Page().start();
