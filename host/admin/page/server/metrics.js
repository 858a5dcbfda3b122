// Reads the host's metrics: https://prometheus.io/docs/instrumenting/exposition_formats/, the text format.

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

// Map of family or series name -> [{labels, value}].
export function readMetrics(text) {
  const families = new Map();
  for (const line of text.split('\n')) {
    const match = line.startsWith('#') ? null : sample.exec(line);
    if (!match) continue;
    const labels = {};
    for (const [, name, value] of (match[2] ?? '').matchAll(label)) {
      labels[name] = value.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character));
    }
    if (!families.has(match[1])) families.set(match[1], []);
    families.get(match[1]).push({ labels, value: match[3] === '+Inf' ? Infinity : Number(match[3]) });
  }
  return families;
}

// What one moment's figures say of calls: {at, tools: Map name -> {ended, failed, buckets: Map bound -> count}}.
export function callsOf(families, at) {
  const tools = new Map();
  const ensure = (labels) => {
    const name = labels.tool || `(${labels.kind})`;
    if (!tools.has(name)) tools.set(name, { ended: 0, failed: 0, buckets: new Map() });
    return tools.get(name);
  };
  for (const { labels, value } of families.get('toolpost_calls_total') ?? []) {
    const tool = ensure(labels);
    tool.ended += value;
    if (labels.outcome !== 'ok') tool.failed += value;
  }
  for (const { labels, value } of families.get('toolpost_call_duration_seconds_bucket') ?? []) {
    const { buckets } = ensure(labels);
    const bound = labels.le === '+Inf' ? Infinity : Number(labels.le);
    buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  return { at, tools };
}

const none = { ended: 0, failed: 0, buckets: new Map() };

// What happened between two moments, of one tool or (name undefined) of all. A host that started anew
// counts from nothing again: then the later figures are the whole.
export function between(before, after, name) {
  const names = name === undefined ? [...after.tools.keys()] : [name];
  const sum = { ended: 0, failed: 0, buckets: new Map() };
  for (const one of names) {
    const now = after.tools.get(one) ?? none;
    const then = before.tools.get(one) ?? none;
    const from = then.ended > now.ended ? none : then;
    sum.ended += now.ended - from.ended;
    sum.failed += now.failed - from.failed;
    for (const [bound, count] of now.buckets) {
      sum.buckets.set(bound, (sum.buckets.get(bound) ?? 0) + count - (from.buckets.get(bound) ?? 0));
    }
  }
  return { ...sum, seconds: Math.max((after.at - before.at) / 1000, 0.001) };
}

// Seconds below which a share of the calls stayed, straight within a bucket; undefined without calls.
export function quantile({ buckets }, share) {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const total = sorted.at(-1)?.[1] ?? 0;
  if (!total) return undefined;
  let below = 0;
  let bound = 0;
  for (const [upper, count] of sorted) {
    if (count >= total * share) {
      if (upper === Infinity) return bound;
      return bound + (upper - bound) * ((total * share - below) / (count - below || 1));
    }
    below = count;
    bound = upper;
  }
  return bound;
}
