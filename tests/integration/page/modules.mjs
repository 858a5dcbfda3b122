// The page's modules that need no browser; the folder of the page is the argument. Exits 0 when all holds.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (name) => import(pathToFileURL(join(process.argv[2], name)));
const { escaped, plain } = await load('part/dom.js');
const { compare, shortened } = await load('part/differences.js');
const { faultOf } = await load('part/editor.js');
const { isExact, member, parse, pretty, repeatedKey } = await load('part/json_text.js');
const { eachEvent } = await load('server/event_stream.js');
const { coalesced, once } = await load('part/coalesced.js');
const { headerText } = await load('server/mcp.js');
const { between, callsOf, quantile, readMetrics } = await load('server/metrics.js');
const { duration, span } = await load('part/time.js');

const exact = '{ "n" : [9007199254740993, -0.10e+05,1.0, 1e400], "s":"a\\u0041\\/\\"}{,:", "e":{},"l":[ ],' +
  ' "t":true,"z":null}';
assert.equal(pretty(exact), `{
  "n": [
    9007199254740993,
    -0.10e+05,
    1.0,
    1e400
  ],
  "s": "a\\u0041\\/\\"}{,:",
  "e": {},
  "l": [],
  "t": true,
  "z": null
}`);
assert.equal(member(parse(exact), 'n').raw, '[9007199254740993,-0.10e+05,1.0,1e400]');
assert.equal(parse(pretty(exact)).raw, parse(exact).raw);
for (const wrong of ['', '{', '{"a":01}', "{'a':1}", '{"a":1,}', '[1 2]', '{"a" 1}', 'nul', '"\n"']) {
  assert.throws(() => parse(wrong), SyntaxError, wrong);
}
for (const text of ['9007199254740993', '-9007199254740993', '1e400', '{"a":[1,9007199254740992]}']) {
  assert.ok(!isExact(JSON.parse(text)), text);
}
for (const text of ['9007199254740991', '0.1', '-1', '"9007199254740993"', 'null', 'true', '{"a":[1,null]}']) {
  assert.ok(isExact(JSON.parse(text)), text);
}
assert.equal(repeatedKey(parse('{"a":{"b":1,"c":2},"c":[{"d":1},{"d":2}]}')), undefined);
assert.equal(repeatedKey(parse('{"a":[{"b":1,"\\u0062":2}]}')), 'b');
assert.equal(faultOf('{"a":1}'), undefined);
for (const text of ['{"a":1,"a":2}', '[]', '1', 'null', '{a:1}']) assert.ok(faultOf(text), text);

const hidden = ['\u202e', '\u2066', '\u200b', '\u00ad', '\ufeff', '\u0007', '\u0085', '\u00a0', '\u3000', '\u2028',
  '\ufe0f', '\u3164', '\u{e0041}', '\u{e0101}', '\ud800', '\ue000', '\r'];
for (const character of hidden) {
  assert.match(plain(`a${character}b`), /^a<U\+[0-9A-F]{4,6}>b$/, escape(character));
}
for (const text of ['abc \n\tdef', 'Grüße 😀 שלום 日本語 e\u0301', '{"a":1}']) assert.equal(plain(text), text);
// One set of characters: the host's table, which terminals and logs follow, is the page's.
const { ranges } = await load('part/hidden.js');
const hostTable = readFileSync(join(process.argv[2], '../../base/text/hidden_characters.inc'), 'utf8');
assert.deepEqual([...hostTable.matchAll(/\{(0x[0-9a-f]+), (0x[0-9a-f]+)\}/g)].map((m) => [Number(m[1]), Number(m[2])]), ranges);

assert.equal(escaped('"a\u202eb\u{e0041}"'), '"a\\u202eb\\udb40\\udc41"');
assert.equal(JSON.parse(escaped('"a\u202eb\u{e0041}\u00a0"')), 'a\u202eb\u{e0041}\u00a0');

const lines = (words) => words.replaceAll(' ', '\n');
const signs = (a, b) => compare(lines(a), lines(b)).map(({ sign, text }) => sign + text).join('|');
assert.equal(signs('a b c', 'a b c'), ' a| b| c');
assert.equal(signs('a b c d', 'a x c d'), ' a|-b|+x| c| d');
assert.equal(signs('a b c d e', 'a c x e f'), ' a|-b| c|-d|+x| e|+f');
assert.equal(signs('a', 'b'), '-a|+b');
const many = (word) => Array.from({ length: 3000 }, (_, i) => word + i).join('\n');
assert.equal(compare(many('a'), many('b')).length, 6000);
const long = Array.from({ length: 100000 }, (_, i) => String(i)).join('\n');
const told = shortened(compare(long, long.replace('\n50000\n', '\nother\n'))).map(({ sign, text }) => sign + text);
assert.deepEqual(told, [' ... 49997 equal lines', ' 49997', ' 49998', ' 49999', '-50000', '+other', ' 50001', ' 50002',
  ' 50003', ' ... 49996 equal lines']);
assert.equal(shortened(compare('a\nb\nc\nd\ne', 'x\nb\nc\nd\ne')).length, 6, 'one line is shown as it is');

assert.equal(headerText('get_stock'), 'get_stock');
assert.equal(headerText('größe'), '=?base64?Z3LDtsOfZQ==?=');
assert.equal(headerText(' a'), '=?base64?IGE=?=');
assert.equal(headerText('=?base64?YQ==?='), '=?base64?PT9iYXNlNjQ/WVE9PT89?=');

const page = (ended, fast) => readMetrics(`# TYPE toolpost_calls_total counter
toolpost_calls_total{kind="call",tool="a\\"}b",outcome="ok"} ${ended}
toolpost_calls_total{kind="call",tool="a\\"}b",outcome="denied"} 1
toolpost_call_duration_seconds_bucket{kind="call",tool="a\\"}b",le="0.1"} ${fast}
toolpost_call_duration_seconds_bucket{kind="call",tool="a\\"}b",le="1"} ${ended + 1}
toolpost_call_duration_seconds_bucket{kind="call",tool="a\\"}b",le="+Inf"} ${ended + 1}
toolpost_calls_in_flight 3
`);
const before = callsOf(page(10, 5), 1000);
const after = callsOf(page(30, 15), 3000);
assert.deepEqual([...after.tools.keys()], ['a"}b']);
const lately = between(before, after);
assert.deepEqual([lately.ended, lately.failed, lately.seconds], [20, 0, 2]);
assert.equal(quantile(lately, 0.5), 0.1);
assert.ok(Math.abs(quantile(lately, 0.75) - 0.55) < 1e-9);
assert.equal(quantile(between(after, after), 0.5), undefined);
assert.equal(between(after, before).ended, 11, 'a host that began anew counts from nothing');
assert.deepEqual([299001, 60000, 900, -5, 3660000].map(span), ['5 min 00 s', '1 min 00 s', '1 s', '0 s', '1 h 01 min']);
assert.deepEqual([undefined, 0, 0.00025, 0.0052, 0.5, 0.99, 1, 12.3].map(duration),
  ['-', '0', '0.25 ms', '5.2 ms', '500 ms', '990 ms', '1.0 s', '12 s']);

// Events come whole, wherever the network cuts them.
for (const size of [1, 2, 7, 1000]) {
  const bytes = new TextEncoder().encode(': open\n\nid: 1\ndata: {"a":\ndata: "größe"}\r\n\r\ndata:\n\ndata: last\n\n');
  const told = [];
  await eachEvent(new ReadableStream({
    start(stream) {
      for (let i = 0; i < bytes.length; i += size) stream.enqueue(bytes.slice(i, i + size));
      stream.close();
    },
  }), (data) => told.push(data));
  assert.deepEqual(told, ['{"a":\n"größe"}', 'last'], `in pieces of ${size}`);
}

// A wish while the work runs is one more run, whoever else wishes too; a failure does not stop the next.
let runs = 0;
let finish;
const work = coalesced(async () => {
  runs++;
  await new Promise((resolve, reject) => { finish = { resolve, reject }; });
});
const first = work();
const [second, third] = [work(), work()];
assert.equal(runs, 1);
finish.reject(new Error('no'));
await assert.rejects(first);
while (runs < 2) await null;
finish.resolve();
await Promise.all([second, third]);
assert.equal(runs, 2);

// A wish while the work runs is none; after a failure there is a next one.
let orders = 0;
let end;
const order = once(async () => {
  orders++;
  await new Promise((resolve, reject) => { end = { resolve, reject }; });
});
const given = order();
await order();
assert.equal(orders, 1);
end.reject(new Error('no'));
await assert.rejects(given);
const anew = order();
assert.equal(orders, 2);
end.resolve();
await anew;

// What a view read earlier must not replace what it read later: each view reads once at a time.
for (const name of readdirSync(join(process.argv[2], 'view'))) {
  const text = readFileSync(join(process.argv[2], 'view', name), 'utf8');
  const own = text.match(/^ {2}(async )?refresh\(\) \{\n( {4}return this\.#pending\.refresh\(\);)?/m);
  assert.ok(!own || own[2], `${name}: refresh is coalesced()`);
}

console.log('held');
