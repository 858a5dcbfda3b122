// One tool call as an MCP client makes it: MCP 2026-07-28, Streamable HTTP.
import { ApiError } from './api.js';
import { eachEvent } from './event_stream.js';
import { member, parse } from '../part/json_text.js';

const kVersion = '2026-07-28';

// MCP 2026-07-28, transports, "Value Encoding": what is not plain ASCII, or looks encoded, goes as base64.
export function headerText(text) {
  const isPlain = /^[\x20-\x7e\t]*$/.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}

// The arguments that the tool's schema wants repeated as headers ("x-mcp-header").
function headersOf(schema, node, into = {}) {
  for (const [name, one] of Object.entries(schema?.properties ?? {})) {
    const value = member(node, name);
    if (!value || value.kind === 'null') continue;
    const header = one?.['x-mcp-header'];
    if (header) into[`Mcp-Param-${header}`] = headerText(value.kind === 'string' ? JSON.parse(value.raw) : value.raw);
    else headersOf(one, value, into);
  }
  return into;
}

function bodyOf(name, argumentsText) {
  const meta = JSON.stringify({
    progressToken: 1,
    'io.modelcontextprotocol/protocolVersion': kVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'toolpost-page', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},` +
    `"arguments":${argumentsText},"_meta":${meta}}}`;
}

// The answer as a tree of json_text.js, so that its numbers stay as they are. `progress` is told of texts.
export async function callTool(api, tool, argumentsText, { signal, progress }) {
  const headers = {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': kVersion,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': headerText(tool.name),
    ...headersOf(tool.input_schema, parse(argumentsText)),
  };
  const response = await api.request('POST', '/mcp', bodyOf(tool.name, argumentsText), { headers, signal });
  let answer = null;
  const take = (text) => {
    const message = parse(text);
    if (member(message, 'id') && !member(message, 'method')) answer = message;
    else if (member(message, 'method')?.raw === '"notifications/progress"') progress(progressText(message));
  };
  try {
    if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) await eachEvent(response.body, take);
    else take(await response.text());
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    if (!response.ok) throw new ApiError(response.status, null);
    throw new Error('the answer broke off', { cause: error });
  }
  if (!answer) throw response.ok ? new Error('the host gave no answer') : new ApiError(response.status, null);
  return answer;
}

function progressText(message) {
  const { progress, total, message: words } = JSON.parse(message.raw).params ?? {};
  const share = total ? `${progress} of ${total}` : `${progress}`;
  return words ? `${words} (${share})` : share;
}
