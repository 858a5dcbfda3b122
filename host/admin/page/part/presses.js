// One press is one order. What a first press shows may lie where its second half falls, so that half presses nothing.

// The second click of a double click, and Enter held down, press no button of the document and send no form.
export function pressOnce(document) {
  document.addEventListener('click', (event) => {
    if (event.detail < 2 || !event.target.closest?.('button')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
  document.addEventListener('keydown', (event) => {
    if (event.repeat && event.key === 'Enter' && event.target.closest?.('button, input')) event.preventDefault();
  }, { capture: true });
}
