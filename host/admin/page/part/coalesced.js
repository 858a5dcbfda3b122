// Ignores a wish while the former one is worked on.
export function once(work) {
  let running = false;
  return async (...given) => {
    if (running) return;
    running = true;
    try {
      await work(...given);
    } finally {
      running = false;
    }
  };
}

// Runs `work` once at a time; any number of wishes while it runs are one more run. Each caller waits for a
// run that began after it asked.
export function coalesced(work) {
  let running = null;
  let next = null;
  const run = () => {
    running = work().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (next) return next;
    if (!running) return run();
    next = running.catch(() => {}).then(() => {
      next = null;
      return run();
    });
    return next;
  };
}
