// node main.ts [--state FILE] [--ledger FILE] [--crash-after TOOL]
// TOOLPOST_URL and TOOLPOST_KEY name the host and the key.
import { parseArgs } from 'node:util';
import { Agent, load, save } from './agent.ts';
import { Toolpost } from './toolpost.ts';
import { definitions, warehouse } from './tools.ts';
import { Worker } from './worker.ts';

const { values } = parseArgs({
  options: {
    state: { type: 'string', default: 'conversation.json' },
    ledger: { type: 'string', default: 'ledger.json' },
    'crash-after': { type: 'string' },  // the worst moment: the work is done, and nobody knows it
  },
});

const toolpost = new Toolpost(process.env.TOOLPOST_URL ?? 'http://127.0.0.1:8808', process.env.TOOLPOST_KEY ?? '');
let state = load(values.state);
if (state) {
  console.log(`continues session ${state.session} after result ${state.after}`);
} else {
  const session = await toolpost.createSession(definitions);
  const content = [{ type: 'text' as const, text: 'Main has too little tape. Bring some from where there is more.' }];
  state = { session, messages: [{ role: 'user', content }], results: [], after: 0 };
  save(values.state, state);
  console.log(`began session ${session}`);
}
const worker = new Worker(toolpost, state.session, warehouse(values.ledger), 'backend-1', (request) => {
  console.log(`ran ${request.name} ${JSON.stringify(request.arguments)}`);
  if (request.name === values['crash-after']) process.kill(process.pid, 'SIGKILL');
});
console.log(await new Agent(toolpost, worker, values.state, state).run());
