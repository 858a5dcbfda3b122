// Server-sent events read by `fetch`: unlike EventSource it can send the header that a login needs.

// Calls `take` with the data of each event, until the stream ends.
export async function eachEvent(stream, take) {
  let rest = '';
  for await (const chunk of chunksOf(stream.pipeThrough(new TextDecoderStream()))) {
    const events = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n');
    rest = events.pop();
    for (const event of events) takeEvent(event, take);
  }
  takeEvent(rest, take);
}

function takeEvent(event, take) {
  const data = event.split('\n').filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''));
  if (data.join('').trim()) take(data.join('\n'));
}

// Not every browser iterates over a stream.
async function* chunksOf(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
