// The answer to a tool call, as a reader wants it.
import { el, facts } from './dom.js';
import { jsonBox, member } from './json_text.js';

const images = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;

const stringOf = (node) => (node?.kind === 'string' ? JSON.parse(node.raw) : undefined);

function block(node, i) {
  const label = `Content ${i + 1}`;
  const type = stringOf(member(node, 'type'));
  const text = stringOf(member(node, 'text'));
  if (type === 'text' && text !== undefined) {
    return el('pre', { class: 'code', tabindex: '0', role: 'group', 'aria-label': label }, text);
  }
  const media = stringOf(member(node, 'mimeType'));
  const data = stringOf(member(node, 'data'));
  if (type === 'image' && images.test(media ?? '') && /^[A-Za-z0-9+/=]*$/.test(data ?? '-')) {
    return el('p', {}, el('img', { src: `data:${media};base64,${data}`, alt: `Image that the tool gave, ${media}` }));
  }
  return jsonBox(node.raw, label);
}

// `answer` is the tree of a JSON-RPC response.
export function resultBox(answer) {
  const error = member(answer, 'error');
  if (error) {
    return el('section', { class: 'result failed', 'aria-label': 'Answer' },
      el('h2', {}, 'The call was refused'),
      el('p', { class: 'reason' }, stringOf(member(error, 'message')) ?? ''),
      facts([['Code', member(error, 'code')?.raw]]),
      member(error, 'data') && jsonBox(member(error, 'data').raw, 'Data of the error'));
  }
  const result = member(answer, 'result');
  const failed = member(result, 'isError')?.raw === 'true';
  const structured = member(result, 'structuredContent');
  const content = member(result, 'content')?.items ?? [];
  return el('section', { class: `result${failed ? ' failed' : ''}`, 'aria-label': 'Answer' },
    el('h2', {}, failed ? 'The tool reports an error' : 'Result'),
    el('div', { class: 'content' }, content.map(block)),
    !content.length && !structured && el('p', { class: 'hint' }, 'The result is empty.'),
    structured && [el('h3', {}, 'Structured content'), jsonBox(structured.raw, 'Structured content')]);
}
