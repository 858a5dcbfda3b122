// What cannot be taken back asks a second time, in place, before it is done. The question stands until it is
// answered, however often its view is drawn anew meanwhile.
import { button, el } from './dom.js';

export class Sure {
  #asked = null;
  #redraw;

  // `redraw` shows the view again: which question stands has changed.
  constructor(redraw) {
    this.#redraw = redraw;
  }

  // A button, or the question that it was pressed for. `key` names it within the view.
  control(key, { label, about, question, yes, act }) {
    if (this.#asked !== key) {
      return button(label, () => this.#ask(key, `${key}-yes`), { 'data-key': key, 'aria-label': about });
    }
    const done = () => {
      this.#ask(null, key);
      act();
    };
    return el('span', { class: 'sure', role: 'group', 'aria-label': question },
      el('span', {}, question),
      button(yes, done, { class: 'no', 'data-key': `${key}-yes` }),
      button('No', () => this.#ask(null, key), { 'data-key': `${key}-no` }));
  }

  #ask(key, focus) {
    this.#asked = key;
    this.#redraw();
    document.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  }
}
