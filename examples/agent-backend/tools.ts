// Three tools of a warehouse. The backend defines them and runs them itself; the host never sees this code.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ToolDefinition } from './toolpost.ts';

const getLocations: ToolDefinition = {
  name: 'getLocations',
  description: 'Retrieves a list of warehouse locations',
  requestArgs: {
    properties: {
      includeInactive: {
        type: 'boolean',
        description: 'Include inactive locations',
      },
    },
  },
  responseShape: {
    properties: {
      locations: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'number' },
            name: { type: 'string' },
            useBins: { type: 'boolean' },
          },
        },
      },
      error: { type: 'string' },
    },
  },
};

const getBinContents: ToolDefinition = {
  name: 'getBinContents',
  description: 'Retrieves what the bins of a location hold',
  requestArgs: { properties: { locationId: { type: 'number' } }, required: ['locationId'] },
  responseShape: {
    properties: {
      bins: {
        type: 'array',
        items: {
          type: 'object',
          properties: { bin: { type: 'string' }, item: { type: 'string' }, quantity: { type: 'number' } },
        },
      },
    },
  },
};

const createTransfer: ToolDefinition = {
  name: 'createTransfer',
  description: 'Orders the transfer of an item from one location to another',
  requestArgs: {
    properties: {
      item: { type: 'string' },
      quantity: { type: 'integer', minimum: 1 },
      from: { type: 'number' },
      to: { type: 'number' },
    },
    required: ['item', 'quantity', 'from', 'to'],
  },
  responseShape: { properties: { transferId: { type: 'string' } } },
};

export const definitions = [getLocations, getBinContents, createTransfer];

const locations = [
  { id: 1, name: 'Main', useBins: true },
  { id: 2, name: 'Overflow', useBins: true },
  { id: 3, name: 'Office', useBins: false },
];
const bins: Record<number, { bin: string; item: string; quantity: number }[]> = {
  1: [{ bin: 'A-1', item: 'tape', quantity: 2 }],
  2: [{ bin: 'Z-9', item: 'tape', quantity: 40 }],
};

// `request` is the id of the call. It stays the same when the call is run again after a crash, so a tool with an effect
// uses it to have that effect once.
type Run = (args: any, request: string) => Promise<object>;

export function warehouse(ledger: string): Record<string, Run> {
  return {
    async getLocations() {
      return { locations };
    },
    async getBinContents({ locationId }) {
      await pause(300);  // a slow system; heartbeats go on meanwhile
      if (!bins[locationId]) throw new Error(`location ${locationId} has no bins`);
      return { bins: bins[locationId] };
    },
    async createTransfer(order, request) {
      const known = existsSync(ledger) ? JSON.parse(readFileSync(ledger, 'utf8')) : {};
      known[request] ??= { transferId: `T-${Object.keys(known).length + 1}`, ...order };
      writeFileSync(ledger, JSON.stringify(known));
      return { transferId: known[request].transferId };
    },
  };
}
