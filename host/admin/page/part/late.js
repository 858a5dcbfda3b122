// Texts of records that are too long to keep, or to lay out, before somebody wants to read them.
import { el, replace } from './dom.js';
import { jsonBox } from './json_text.js';

const kShort = 16 * 1024;  // as in lists of the host with short texts
const kTexts = ['arguments', 'context', 'edited'];

// A closed box whose content `load` makes when the reader opens it.
function lateDetails(attributes, summary, load) {
  const place = el('div');
  let begun = false;
  const opened = async (event) => {
    if (!event.target.open || begun) return;
    begun = true;
    try {
      replace(place, await load());
    } catch (error) {
      begun = false;
      replace(place, el('p', { class: 'alert' }, `This cannot be read: ${error.message}.`));
    }
  };
  return el('details', { ...attributes, ontoggle: opened }, summary, place);
}

// The list of the host has left a text of the record out.
export const isCut = (record) => kTexts.some((name) => record[`${name}_bytes`] !== undefined);

// The record as such a list has it.
export function cut(record) {
  const short = { ...record };
  for (const name of kTexts.filter((one) => record[`${one}_text`]?.length > kShort)) {
    short[`${name}_bytes`] = record[`${name}_text`].length;
    short[name] = null;
    short[`${name}_text`] = '';
  }
  return short;
}

// The arguments, the edited arguments or the context of an approval in a closed box. `find` reads the whole record.
export function keptText(record, name, { attributes = {}, summary, label, find, more = () => null }) {
  const boxOf = (one) => [jsonBox(one[`${name}_text`], label), more(one)];
  const told = el('summary', {}, summary);
  if (record[`${name}_bytes`] === undefined) {
    return record[`${name}_text`] ? el('details', attributes, told, boxOf(record))
      : el('p', { class: 'hint' }, 'Not kept: they were large, and nobody answered.');
  }
  return lateDetails(attributes, told, async () => boxOf(await find(record.id)));
}
