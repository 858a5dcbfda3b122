// Times as a reader sees them.
import { el } from './dom.js';

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function moment(text) {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? text : el('time', { datetime: at.toISOString() }, dateAndTime.format(at));
}

// "4 min 09 s"
export function span(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
  return minutes ? `${minutes} min ${String(seconds % 60).padStart(2, '0')} s` : `${seconds} s`;
}

// "0.25 ms", "12 ms", "1.5 s"; "-" for none.
export function duration(seconds) {
  if (seconds === undefined) return '-';
  if (seconds === 0) return '0';
  const [value, unit] = seconds >= 1 ? [seconds, 's'] : [seconds * 1000, 'ms'];
  return `${value.toFixed(value >= 10 ? 0 : value >= 1 ? 1 : 2)} ${unit}`;
}
