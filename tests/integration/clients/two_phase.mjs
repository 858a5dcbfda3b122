// The snippets of an agent platform's manual about tools, as they stand there: only BASE_URL, `headers`, the ids, the two
// definitions that the manual does not spell out, and the elided array are filled in. The words of argv say where.
const [BASE_URL, key, step, sessionId, requestId] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };

const getLocations = {
  name: "getLocations",
  description: "Retrieves a list of warehouse locations",
  requestArgs: {
    properties: {
      includeInactive: {
        type: "boolean",
        description: "Include inactive locations",
      },
    },
  },
  responseShape: {
    properties: {
      locations: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "number" },
            name: { type: "string" },
            useBins: { type: "boolean" },
          },
        },
      },
      error: { type: "string" },
    },
  },
};
const getBinContents = { ...getLocations, name: "getBinContents" };
const createTransfer = { ...getLocations, name: "createTransfer" };

// What each request was answered with, for the test.
const answers = [];
const plainFetch = globalThis.fetch;
const fetch = async (...request) => {
  const answer = await plainFetch(...request);
  answers.push({ status: answer.status, body: await answer.json() });
};

const steps = {
  async session() {
await fetch(`${BASE_URL}/v1/sessions`, {
  method: "POST",
  headers,
  body: JSON.stringify({
    customizations: {
      agentId: "RfsAgent",
      extensions: {
        tools: {
          getLocations,
          getBinContents,
          createTransfer,
        },
      },
    },
  }),
});
  },

  async heartbeats() {
const interval = setInterval(async () => {
  await fetch(`${BASE_URL}/v1/tools/request/${sessionId}/${requestId}/heartbeat`, {
    method: "POST",
    headers,
    body: JSON.stringify({ state: "PROCESSING", heartbeat: Date.now() }),
  });
}, 250);
    await new Promise((done) => {
      const look = setInterval(() => {
        if (answers.length < 3) return;
        clearInterval(look);
        done();
      }, 10);
    });
    clearInterval(interval);
  },

  async success() {
await fetch(`${BASE_URL}/v1/tools/response/${sessionId}/${requestId}`, {
  method: "POST",
  headers,
  body: JSON.stringify({
    response: { state: "COMPLETE", locations: [{ id: 1, name: "Main", useBins: true }] },
  }),
});
  },

  async failure() {
await fetch(`${BASE_URL}/v1/tools/request/${sessionId}/${requestId}/heartbeat`, {
  method: "POST",
  headers,
  body: JSON.stringify({
    state: "ERROR",
    error: "Query timed out after 30 seconds",
  }),
});
  },
};

await steps[step]();
console.log(JSON.stringify(answers));
