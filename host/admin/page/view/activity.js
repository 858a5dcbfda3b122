// How many calls there are and how long they take, while the reader looks.
import { lineChart } from '../part/charts.js';
import { button, el, facts, replace, table } from '../part/dom.js';
import { between, callsOf, quantile, readMetrics } from '../server/metrics.js';
import { duration } from '../part/time.js';

const kEveryMs = 2000;
const kMoments = 151;  // five minutes
const kRateOver = 5;   // moments: a rate over one step alone would only twitch
const kLatencyOver = 30;

const rate = (value) => `${value.toFixed(value >= 10 || value === 0 ? 0 : 1)}/s`;

const figure = (text) => el('span', { class: 'figure' }, String(text));

export class ActivityView {
  title = 'Activity';
  element = el('div');
  #api;
  #moments = [];
  #families = new Map();
  #timer = 0;
  #paused = false;
  #shown = false;
  #pause = button('Pause', () => this.#setPaused(!this.#paused), { 'aria-pressed': 'false' });
  #fault = el('p', { class: 'alert', role: 'status', 'aria-label': 'Figures' });
  #body = el('div');

  constructor({ api }) {
    this.#api = api;
    replace(this.element, el('h1', { tabindex: '-1' }, 'Activity'),
      el('p', { class: 'lead' }, 'Every two seconds, from the figures of /metrics.'),
      this.#pause, this.#fault, this.#body);
  }

  // The figures of the time before are no longer next to those of now.
  show() {
    this.#shown = true;
    this.#moments = [];
    return this.#poll();
  }

  hide() {
    this.#shown = false;
    clearTimeout(this.#timer);
  }

  #setPaused(paused) {
    this.#paused = paused;
    this.#pause.setAttribute('aria-pressed', String(paused));
    clearTimeout(this.#timer);
    if (!paused) this.#poll();
  }

  async #poll() {
    clearTimeout(this.#timer);
    try {
      this.#families = readMetrics(await this.#api.text('/metrics'));
      this.#moments = [...this.#moments, callsOf(this.#families, performance.now())].slice(-kMoments);
      replace(this.#fault);
      this.#render();
    } catch (error) {
      const off = error.status === 404 ? 'The host shows no figures: metrics.enabled is off.' : undefined;
      replace(this.#fault, off ?? `No figures: ${error.message}.`);
    }
    clearTimeout(this.#timer);
    if (this.#shown && !this.#paused) this.#timer = setTimeout(() => this.#poll(), kEveryMs);
  }

  // What happened in the moments before the i-th one.
  #window(i, moments, tool) {
    return between(this.#moments[Math.max(0, i - moments)], this.#moments[i], tool);
  }

  // Five minutes long from the first moment on: those to come are empty.
  #series(values) {
    return [...Array(kMoments - values.length).fill(undefined), ...values];
  }

  #render() {
    const rates = this.#moments.map((_, i) => (i ? this.#window(i, kRateOver) : undefined));
    const latencies = this.#moments.map((_, i) => (i ? this.#window(i, kLatencyOver) : undefined));
    replace(this.#body,
      facts(this.#gauges()),
      lineChart({ title: 'Calls that end', show: rate, span: '5 min ago', series: [
        { name: 'all', values: this.#series(rates.map((one) => one && one.ended / one.seconds)) },
        { name: 'not ok', values: this.#series(rates.map((one) => one && one.failed / one.seconds)) }] }),
      lineChart({ title: 'How long calls of the last minute took', show: duration, span: '5 min ago', series: [
        { name: 'half of them at most', values: this.#series(latencies.map((one) => one && quantile(one, 0.5))) },
        { name: '95 in 100 at most', values: this.#series(latencies.map((one) => one && quantile(one, 0.95))) }] }),
      el('h2', {}, 'Calls by tool'), this.#table());
  }

  #gauges() {
    const one = (name) => this.#families.get(name)?.[0]?.value;
    const memory = one('process_resident_memory_bytes');
    return [
      ['In flight', one('toolpost_calls_in_flight')],
      ['Waiting for their turn', one('toolpost_calls_waiting')],
      ['Open connections', one('toolpost_connections')],
      ['Sessions', one('toolpost_sessions')],
      ['Memory', memory && `${(memory / 2 ** 20).toFixed(0)} MiB`],
    ];
  }

  #table() {
    const last = this.#moments.length - 1;
    const { tools } = this.#moments[last];
    if (!tools.size) return el('p', {}, 'No call has ended since the host began.');
    const rows = [...tools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => {
      const lately = this.#window(last, kLatencyOver, name);
      return [name, figure(all.ended), figure(all.failed), figure(rate(last ? lately.ended / lately.seconds : 0)),
        figure(duration(quantile(all, 0.5))), figure(duration(quantile(all, 0.95)))];
    });
    return table('Calls by tool since the host began',
      ['Tool', 'Ended', 'Not ok', 'Rate', 'Half within', '95 in 100 within'], rows);
  }
}
