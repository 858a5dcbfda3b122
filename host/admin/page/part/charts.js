// Line charts. The figures also stand in a table beside them: a chart is never the only way to read one.
import { el, svg } from './dom.js';

// Of the drawing, which is stretched to the room there is; its words stand beside it, unstretched.
const kWidth = 600;
const kHeight = 160;

// A round number that is not below `value`.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

// Unbroken runs of points; a point without a value breaks the line.
function pathOf(values, x, y) {
  let drawing = false;
  return values.map((value, i) => {
    if (value === undefined) {
      drawing = false;
      return '';
    }
    const step = `${drawing ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
    drawing = true;
    return values[i + 1] === undefined && values[i - 1] === undefined ? `${step}h-2` : step;
  }).join('');
}

const classes = ['one', 'two'];

// `series` is [{name, values}] of one length, oldest first; `show` writes a value with its unit.
export function lineChart({ title, series, show, span }) {
  const length = series[0].values.length;
  const top = roundUp(Math.max(0, ...series.flatMap((one) => one.values.filter((value) => value !== undefined))));
  const x = (i) => (length > 1 ? (kWidth * i) / (length - 1) : 0);
  const y = (value) => kHeight - (kHeight * value) / top;
  const told = (value) => (value === undefined ? 'none' : show(value));
  const latest = series.map((one) => `${one.name}: ${told(one.values.at(-1))}`);
  return el('figure', {},
    el('figcaption', {}, title),
    el('div', { class: 'plot' },
      el('div', { class: 'scale', 'aria-hidden': 'true' },
        [top, top / 2, 0].map((value) => el('span', {}, show(value)))),
      svg('svg', { class: 'chart', viewBox: `0 0 ${kWidth} ${kHeight}`, preserveAspectRatio: 'none', role: 'img',
        'aria-label': `${title}. Now ${latest.join(', ')}.` },
        svg('line', { class: 'rule', x1: 0, x2: kWidth, y1: y(top / 2), y2: y(top / 2) }),
        series.map((one, i) => svg('path', { class: classes[i], d: pathOf(one.values, x, y) }))),
      el('div', { class: 'span', 'aria-hidden': 'true' }, el('span', {}, span), el('span', {}, 'now'))),
    el('ul', { class: 'legend' }, series.map((one, i) =>
      el('li', {}, svg('svg', { viewBox: '0 0 32 10', 'aria-hidden': 'true' },
        svg('line', { class: classes[i], x1: 0, x2: 32, y1: 5, y2: 5 })), latest[i]))));
}
