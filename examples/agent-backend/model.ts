// A scripted model in the form of a real one: it reads the messages and returns the next turn of the assistant. What it
// does next depends only on the messages, so a conversation that is loaded again goes on as it would have.
import type { ToolResult } from './toolpost.ts';

export interface ToolUse { type: 'tool_use'; id: string; name: string; input: object }
export interface Text { type: 'text'; text: string }
export type Message =
  | { role: 'user'; content: (Text | ToolResult)[] }
  | { role: 'assistant'; content: (Text | ToolUse)[] };

// The JSON of a result.
function read(messages: Message[], id: string): any {
  for (const message of messages) {
    for (const block of message.content) {
      if (block.type !== 'tool_result' || block.tool_use_id !== id) continue;
      const [first] = block.content;
      return block.is_error || first?.type !== 'text' ? {} : JSON.parse(first.text);
    }
  }
  return {};
}

export function nextTurn(messages: Message[], sessionId: string): Message {
  const use = (id: string, name: string, input: object): ToolUse =>
    ({ type: 'tool_use', id, name, input: { sessionId, ...input } });
  const say = (text: string): Text => ({ type: 'text', text });
  switch (messages.filter((message) => message.role === 'assistant').length) {
    case 0:
      return { role: 'assistant', content: [say('I look at the locations.'), use('toolu_1', 'getLocations', {})] };
    case 1: {
      const { locations = [] } = read(messages, 'toolu_1');
      const withBins = locations.filter((one: any) => one.useBins);
      return { role: 'assistant', content: withBins.map((one: any) =>
        use(`toolu_bins_${one.id}`, 'getBinContents', { locationId: one.id })) };
    }
    case 2:
      return { role: 'assistant', content: [use('toolu_3', 'createTransfer', { item: 'tape', quantity: 20, from: 2, to: 1 })] };
    default: {
      const { transferId } = read(messages, 'toolu_3');
      return { role: 'assistant', content: [say(`The transfer ${transferId} is ordered.`)] };
    }
  }
}
