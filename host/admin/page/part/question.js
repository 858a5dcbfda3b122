// The answer to a question of a model (ask_user): one of its options, or a text.
import { button, el, plain } from './dom.js';

const kLongest = 16000;

export const isQuestion = (record) => record.kind === 'question';

// `send(text)` sends an answer, `decline(note)` says that there is none.
export function questionForm(record, id, { send, decline }) {
  const options = record.arguments?.options ?? [];
  const alert = el('p', { class: 'alert', role: 'alert' });
  const field = options.length
    ? el('select', { id: `${id}-answer` }, el('option', { value: '' }, 'Choose one'),
      options.map((option, index) => el('option', { value: String(index) }, plain(option))))
    : el('textarea', { id: `${id}-answer`, rows: '3', maxlength: String(kLongest) });
  const note = el('input', { type: 'text', maxlength: '500', id: `${id}-note`, autocomplete: 'off' });
  const given = () => (options.length ? options[Number(field.value || 'NaN')] : field.value) ?? '';
  const answer = () => {
    const text = given();
    alert.textContent = text.trim() === '' ? 'An answer is needed.' : '';
    if (text.trim() !== '') send(text);
    else field.focus();
  };
  return el('div', { class: 'answer' },
    el('label', { for: field.id }, 'Answer, which the model reads'), field, alert,
    el('label', { for: note.id }, 'Note, which the model reads if you decline'), note,
    el('div', { class: 'buttons' },
      button('Answer', answer, { class: 'yes', 'aria-label': 'Answer the question' }),
      button('Decline to answer', () => decline(note.value), { class: 'no' })));
}
