// The REST interface, as its OpenAPI document describes it: operations by tag, with parameters, bodies, answers and
// the schemas that they refer to.
import { el, facts, replace, table } from '../part/dom.js';
import { jsonBox } from '../part/json_text.js';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

const schemaName = (schema) => schema?.$ref?.split('/').at(-1);

const idOf = (method, path) => `operation-${method}-${path.replace(/[^a-z0-9]+/gi, '-')}`;

// The document's operations, in the order of the paths.
function operationsOf(description) {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ method, path, ...item[method] })));
}

// A schema whole: that of a name, or the one that stands here.
function schemaBox(schema, label, components) {
  const name = schemaName(schema);
  return [name && el('p', {}, 'Schema ', el('code', {}, name)),
    jsonBox(JSON.stringify(name ? components[name] : schema), label)];
}

function parametersOf({ parameters }) {
  return parameters.length > 0 && table('Parameters', ['Name', 'In', 'Schema'],
    parameters.map(({ name, in: where, schema }) => [name, where, el('code', {}, JSON.stringify(schema))]));
}

function bodyOf(operation, components) {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (!type) return null;
  return [el('h3', {}, `Body: ${type}`), schemaBox(media.schema, 'Schema of the body', components),
    media.example && [el('p', {}, 'Example'), jsonBox(JSON.stringify(media.example), 'Example of the body')]];
}

const isError = (status) => status === 'default' || Number(status) >= 400;

function answersOf({ responses }, components) {
  const good = Object.entries(responses).filter(([status]) => !isError(status));
  const bad = Object.entries(responses).filter(([status]) => isError(status));
  return [
    good.map(([status, { description, content }]) => {
      const [type, media] = Object.entries(content ?? {})[0] ?? [];
      return [el('h3', {}, `Answer ${status}${type ? `: ${type}` : ''}`), el('p', {}, description),
        media?.schema && schemaBox(media.schema, `Schema of the answer ${status}`, components)];
    }),
    el('h3', {}, 'Errors'),
    table('Errors', ['Status', 'Meaning'], bad.map(([status, { description }]) => [status, description])),
  ];
}

const scopesOf = ({ security }) =>
  [...new Set(security.flatMap((one) => Object.values(one).flat()))].join(' or ') || 'no key';

function operationCard(operation, components) {
  const { method, path, summary } = operation;
  const id = idOf(method, path);
  return el('article', { class: 'card', 'aria-labelledby': id },
    el('h2', { id }, `${method.toUpperCase()} ${path}`),
    el('p', { class: 'description' }, summary),
    facts([['Scope', scopesOf(operation)]]),
    el('details', { 'data-key': id }, el('summary', {}, 'Parameters, body and answers'),
      parametersOf(operation), bodyOf(operation, components), answersOf(operation, components)));
}

export class DescriptionView {
  title = 'REST API';
  element = el('div');
  #api;
  #description = null;
  #filter = el('input', { type: 'search', id: 'operation-filter', autocomplete: 'off', oninput: () => this.#render() });
  #count = el('p', { 'aria-live': 'polite', class: 'hint' });
  #body = el('div');

  constructor({ api }) {
    this.#api = api;
    replace(this.element, el('h1', { tabindex: '-1' }, 'REST API'),
      el('p', {}, 'From ', el('code', {}, '/v1/openapi.json'), ', which is an OpenAPI 3.1 document.'),
      el('label', { for: 'operation-filter' }, 'Show operations with'), this.#filter, this.#count, this.#body);
  }

  async show() {
    this.#description ??= await this.#api.get('/v1/openapi.json');
    this.#render();
  }

  #render() {
    const wanted = this.#filter.value.trim().toLowerCase();
    const all = operationsOf(this.#description);
    const shown = all.filter(({ method, path, summary }) => `${method} ${path} ${summary}`.toLowerCase().includes(wanted));
    this.#count.textContent = `${shown.length} of ${all.length} operations`;
    const { schemas } = this.#description.components;
    replace(this.#body, shown.map((operation) => operationCard(operation, schemas)));
  }
}
