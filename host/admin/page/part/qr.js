// A QR code as a drawing. Dark on light whatever the page's colours are: that is what cameras expect.
import { svg } from './dom.js';

const kQuiet = 4;

// `rows` are of 0 (light) and 1 (dark).
export function qrPicture(rows, label) {
  const size = rows.length + 2 * kQuiet;
  const runs = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map(({ index, 0: run }) =>
    `M${index + kQuiet} ${y + kQuiet}h${run.length}v1h-${run.length}z`));
  return svg('svg', { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label,
    'shape-rendering': 'crispEdges' },
    svg('rect', { width: size, height: size, fill: '#fff' }), svg('path', { d: runs.join(''), fill: '#000' }));
}
