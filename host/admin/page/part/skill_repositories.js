// Git repositories of skills: how the last pull ended, and changed skills that wait for a decision.
import { coalesced } from './coalesced.js';
import { announce, button, el, facts, replace } from './dom.js';
import { Sure } from './sure.js';
import { moment } from './time.js';

const pathOf = (name, rest) => `/v1/skill-repositories/${encodeURIComponent(name)}/${rest}`;

const lineOf = (line) => {
  const tag = { '-': 'del', '+': 'ins' }[line[0]] ?? 'span';
  return el(tag, { class: 'line' }, line);
};

export class SkillRepositories {
  element = el('section', { 'aria-label': 'Git repositories of skills' });
  #api;
  #render;
  #all = [];
  #changes = new Map(); // by repository
  #sure = new Sure(() => this.#draw());
  #alert = el('p', { class: 'alert', role: 'alert' });

  // `changed` runs after skills may have changed.
  constructor(api, changed) {
    this.#api = api;
    this.#render = changed;
  }

  // The changes are drawn when they come: a comparison waits for a pull, which can take minutes.
  async refresh() {
    this.#all = (await this.#api.get('/v1/skill-repositories')).skillRepositories;
    this.#draw();
    this.#compare().catch(() => {});
  }

  #compare = coalesced(async () => {
    const waiting = this.#all.filter(({ held }) => held.length > 0).map(({ name }) => name);
    for (const name of [...this.#changes.keys()].filter((one) => !waiting.includes(one))) this.#changes.delete(name);
    this.#draw();
    await Promise.all(waiting.map(async (name) => {
      this.#changes.set(name, await this.#api.get(pathOf(name, 'changes')).catch((error) => ({ error, changes: [] })));
      this.#draw();
    }));
  });

  #draw() {
    if (!this.#all.length) return replace(this.element);
    return replace(this.element, el('h2', {}, 'Git repositories'), this.#alert, this.#all.map((one, i) => this.#card(one, i)));
  }

  #card(one, i) {
    const id = `skill-repository-${i}`;
    const found = this.#changes.get(one.name);
    return el('article', { class: 'card', 'aria-labelledby': id },
      el('h3', { id }, one.name),
      one.failure && el('p', { class: 'alert' }, `The last pull failed: ${one.failure}`),
      one.missing.length > 0 && el('p', { class: 'alert' }, `Files are missing or were changed: ${one.missing.join(', ')}`),
      facts([
        ['URL', el('code', {}, one.git)],
        ['Ref', one.ref && el('code', {}, one.ref)],
        ['Folder', one.path && el('code', {}, one.path)],
        ['Commit', one.commit && el('code', {}, one.commit)],
        ['Pulled', one.pulled && moment(one.pulled)],
        ['Pin', one.pin],
        ['Skills', one.skills.length ? one.skills.join(', ') : undefined],
      ]),
      el('p', {}, button('Pull', () => this.#order(one.name, 'pull', undefined, 'It was pulled'),
        { 'data-key': `pull-${one.name}`, 'aria-label': `Pull ${one.name}` })),
      one.held.length > 0 && el('h4', {}, 'Skills that wait for a decision'),
      found?.error && el('p', { class: 'alert' }, `They cannot be compared: ${found.error.message}`),
      found?.changes.filter(({ skill }) => one.held.some((held) => held.skill === skill))
        .map((change) => this.#change(one.name, change)),
      one.left_out.length > 0 && [el('h4', {}, 'Left out'), el('ul', {}, one.left_out.map((line) => el('li', {}, line)))]);
  }

  // The digest is of what is shown here: a version that was pulled since is not accepted.
  #change(name, { skill, new: isNew, since, digest, diff, cut }) {
    return el('section', { 'aria-label': `Skill ${skill}` },
      el('p', {}, el('code', {}, skill), isNew ? ', a new skill, since ' : ', changed ', moment(since)),
      el('pre', { class: 'code', tabindex: '0', role: 'group', 'aria-label': `What differs in ${skill}` }, diff.map(lineOf)),
      cut ? el('p', {}, 'It is too long to be shown here. To see all of it and accept it, run ',
        el('code', {}, `toolpost skills diff ${name} --whole`), '.')
        : this.#sure.control(`accept-${name}-${skill}-${digest}`, {
          label: 'Accept', about: `Accept the skill ${skill} of ${name}`,
          question: 'Models will read it as it is shown here. Accept it?', yes: 'Accept it',
          act: () => this.#order(name, 'accept', { skill, digest }, 'Accepted') }));
  }

  async #order(name, order, body, said) {
    replace(this.#alert);
    try {
      await this.#api.send('POST', pathOf(name, order), body && JSON.stringify(body));
      announce(`${said}: ${name}.`);
    } catch (error) {
      if (error.status !== 401) replace(this.#alert, `${name} did not do it: ${error.message}.`);
    }
    await this.#render();
  }
}
