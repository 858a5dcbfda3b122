// Writes the table of hidden characters: characters that are invisible, or that change the order of visible text.
//
//   node scripts/hidden_characters.mjs
//
// The script writes one file for the host (host/base/text/hidden_characters.inc), and one for the console
// (host/admin/page/part/hidden.js). Both files are in Git, and tests/integration/page/modules.mjs checks that their
// tables are equal. So the result does not depend on the Unicode version of a browser.
import { writeFileSync } from 'node:fs';

// Control and format characters (also bidirectional ones), surrogates, private and unassigned characters, unusual spaces
// and line ends, letters that look blank, and variation selectors, but not the line feed, the tab and the plain space.
const hidden = new RegExp('(?![\\n\\t ])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Z}\\u034f\\u115f\\u1160\\u17b4\\u17b5' +
  '\\u2800\\u3164\\uffa0\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]', 'u');

const ranges = [];
for (let point = 0; point <= 0x10ffff; ++point) {
  if (!hidden.test(String.fromCodePoint(point))) continue;
  const last = ranges.at(-1);
  if (last?.[1] === point - 1) last[1] = point;
  else ranges.push([point, point]);
}

const root = new URL('..', import.meta.url);
const hex = (number) => `0x${number.toString(16)}`;
const lines = (open, close) => {
  const out = [];
  let line = ' ';
  for (const [from, to] of ranges) {
    const entry = ` ${open}${hex(from)}, ${hex(to)}${close},`;
    if (line.length + entry.length > 100) {
      out.push(line);
      line = ' ';
    }
    line += entry;
  }
  return [...out, line].join('\n');
};
const made = `// Made by scripts/hidden_characters.mjs, of Unicode ${process.versions.unicode}.\n`;
writeFileSync(new URL('host/base/text/hidden_characters.inc', root),
  `${made}constexpr Range kHidden[] = {\n${lines('{', '}')}\n};\n`);
writeFileSync(new URL('host/admin/page/part/hidden.js', root),
  `${made}export const ranges = [\n${lines('[', ']')}\n];\n`);
