// Plugins: what serves, since when, and what each may touch.
import { coalesced } from '../part/coalesced.js';
import { el, facts, replace, table } from '../part/dom.js';
import { moment } from '../part/time.js';
import { addressOf } from './tools.js';

const kShownDigits = 12;

const short = (hash) => hash && el('code', {}, hash.slice(0, kShownDigits));

const listed = (label, texts) => texts?.length > 0 &&
  [el('h3', {}, label), el('ul', {}, texts.map((text) => el('li', {}, text)))];

const linked = (name, i) => [i > 0 && ', ', el('a', { href: addressOf(name) }, name)];

function howItRuns(plugin) {
  if (plugin.isolation !== 'worker') return plugin.isolation;
  return plugin.workers > 1 ? `${plugin.workers} workers, ${plugin.workers_up} up` : 'a worker';
}

function sandboxOf(plugin) {
  const { sandbox } = plugin;
  if (!sandbox) {
    return plugin.isolation === 'inline' && el('p', { class: 'hint' }, 'No sandbox: it is part of the host.');
  }
  return el('details', { 'data-key': `sandbox-${plugin.name}` }, el('summary', {}, 'Sandbox'),
    table(`Sandbox of ${plugin.name}`, ['Layer', 'Active', 'Detail'],
      (sandbox.layers ?? []).map((layer) => [layer.layer, layer.active ? 'yes' : 'NO', layer.detail])),
    listed('It may use', sandbox.grants),
    listed('Granted but absent', sandbox.absent),
    sandbox.reads_only && el('p', { class: 'hint' }, 'Its tools only read, so it cannot write.'));
}

function historyOf(plugin) {
  const history = [...plugin.history ?? []].reverse();
  return history.length > 0 && el('details', { 'data-key': `history-${plugin.name}` },
    el('summary', {}, `Reload history (${history.length})`),
    table(`Reload history of ${plugin.name}`, ['At', 'Generation', 'Outcome', 'Took', 'Hash', 'Reason'],
      history.map((one) => [moment(one.at), one.generation, one.accepted ? 'accepted' : 'refused',
        `${one.took_ms} ms`, short(one.hash), one.reason])));
}

function card(plugin, i) {
  const id = `plugin-${i}`;
  const well = plugin.serving || plugin.state === 'disabled';
  return el('article', { class: 'card', 'aria-labelledby': id },
    el('h2', { id }, plugin.name, ' ', el('span', { class: 'of' }, plugin.version)),
    el('p', { class: `state ${well ? 'good' : 'bad'}` }, plugin.state, plugin.serving === false && ', serves nothing'),
    plugin.error && el('p', { class: 'alert' }, plugin.error),
    plugin.problem && el('p', { class: 'alert' }, plugin.problem),
    facts([
      ['Runs in', howItRuns(plugin)],
      ['Generation', plugin.generation],
      ['Crashes', plugin.crashes > 0 ? `${plugin.crashes}; the last: ${plugin.last_crash}` : undefined],
      ['Restarts', plugin.restarts || undefined],
      ['Refused inputs', plugin.refused_inputs || undefined],
      ['File', plugin.path && el('code', {}, plugin.path)],
      ['Hash', short(plugin.hash)],
      ['Tools', plugin.tools?.length ? plugin.tools.map(linked) : undefined],
    ]),
    listed('Not served', plugin.refusals?.map((one) => `${one.tool}: ${one.reason}`)),
    listed('Notes', plugin.notes?.map((note) => `It ${note}`)),
    sandboxOf(plugin), historyOf(plugin));
}

export class PluginsView {
  title = 'Plugins';
  topics = ['plugins'];
  element = el('div');
  #api;
  #body = el('div');

  constructor({ api }) {
    this.#api = api;
    replace(this.element, el('h1', { tabindex: '-1' }, 'Plugins'), this.#body);
  }

  show() {
    return this.refresh();
  }

  refresh = coalesced(async () => {
    const { plugins } = await this.#api.get('/v1/plugins');
    replace(this.#body, plugins.length ? plugins.map(card) : el('p', {}, 'No plugin was found.'));
  });
}
