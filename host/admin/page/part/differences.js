// What differs between two texts, line by line.
import { el } from './dom.js';

const kMaxTable = 4e6;
const kAround = 3;

// [{sign: ' ' | '-' | '+', text}] in order.
export function compare(before, after) {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const as = (sign) => (text) => ({ sign, text });
  return [
    ...a.slice(0, start).map(as(' ')),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(as(' ')),
  ];
}

// By the longest common subsequence; two long texts with nothing in common are simply exchanged.
function between(a, b) {
  const lines = [];
  const push = (sign, text) => lines.push({ sign, text });
  if (a.length * b.length > kMaxTable) {
    a.forEach((text) => push('-', text));
    b.forEach((text) => push('+', text));
    return lines;
  }
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      push(' ', a[i++]);
      j++;
    } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      push('-', a[i++]);
    } else {
      push('+', b[j++]);
    }
  }
  return lines;
}

// Equal lines far from a change are only counted: an element for each of very many would make the browser slow.
export function shortened(lines) {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ sign }, i) => {
    if (sign !== ' ') near.fill(1, Math.max(0, i - kAround), i + kAround + 1);
  });
  const shown = [];
  for (let i = 0; i < lines.length; i++) {
    let end = i;
    while (end < lines.length && !near[end]) end++;
    if (end - i > 1) {
      shown.push({ sign: ' ', text: `... ${end - i} equal lines` });
      i = end - 1;
    } else {
      shown.push(lines[i]);
    }
  }
  return shown;
}

const tags = { ' ': 'span', '-': 'del', '+': 'ins' };
const heard = { ' ': '', '-': 'removed: ', '+': 'added: ' };

export function differencesBox(lines) {
  return el('pre', { class: 'code differences', tabindex: '0', role: 'group', 'aria-label': 'Differences' },
    shortened(lines).map(({ sign, text }) =>
      el(tags[sign], { class: 'line' }, el('span', { 'aria-hidden': 'true' }, `${sign} `),
        heard[sign] && el('span', { class: 'only-heard' }, heard[sign]), `${text}\n`)));
}
