// Skills: instructions that agents read.
import { coalesced } from '../part/coalesced.js';
import { el, facts, replace } from '../part/dom.js';
import { SkillRepositories } from '../part/skill_repositories.js';

const shown = (value) => (typeof value === 'object' ? el('code', {}, JSON.stringify(value)) : String(value));

const named = (key) => key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ');

function card(skill, i) {
  const { name, description, ...others } = skill;
  const id = `skill-${i}`;
  return el('article', { class: 'card', 'aria-labelledby': id },
    el('h2', { id }, name),
    el('p', { class: 'description' }, description),
    facts(Object.entries(others).filter(([, value]) => value !== null && value !== '')
      .map(([key, value]) => [named(key), shown(value)])));
}

export class SkillsView {
  title = 'Skills';
  topics = ['skills'];
  element = el('div');
  #api;
  #isAdmin;
  #body = el('div');
  #repositories;

  constructor({ api, person }) {
    this.#api = api;
    this.#isAdmin = person.scopes.includes('admin');
    this.#repositories = new SkillRepositories(api, () => this.refresh().catch(() => {}));
    replace(this.element, el('h1', { tabindex: '-1' }, 'Skills'), this.#body, this.#repositories.element);
  }

  show() {
    return this.refresh();
  }

  refresh = coalesced(async () => {
    const { skills, problems = [] } = await this.#api.get('/v1/skills');
    replace(this.#body,
      problems.length > 0 && el('section', { 'aria-labelledby': 'skill-problems' },
        el('h2', { id: 'skill-problems' }, 'Problems'),
        el('ul', {}, problems.map((problem) => el('li', { class: 'alert' }, problem)))),
      skills.length ? skills.map(card) : el('p', {}, 'No skill was found.'));
    if (this.#isAdmin) await this.#repositories.refresh();
  });
}
