const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
globalThis.outcome = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => ('outcome' in data ? resolve(data.outcome) : reject(new Error(data.error)));
  worker.onerror = (event) => reject(new Error(event.message || 'the worker did not start'));
});
