/**
 * The system's Firefox, driven by WebDriver BiDi, since Playwright drives only its own build. Only what the playground
 * test needs.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';

/** @returns {string | undefined} the path of the program */
export function firefoxPath() {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return ['firefox-esr', 'firefox']
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((program) => fs.existsSync(program));
}

/**
 * Opens an address in a fresh profile.
 * @returns {Promise<{ evaluate(expression: string): Promise<any>, run(script: string): Promise<void>, press(...keys: string[]): Promise<void>, resize(width: number): Promise<void>, screenshot(file: string): Promise<void>, close(): Promise<void> }>}
 */
export async function openInFirefox(url, { width = 1280, height = 860 } = {}) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'crayon-firefox-'));
  const args = [
    '--headless',
    '--no-remote',
    '--profile',
    profile,
    '--remote-debugging-port',
    '0',
    `--width=${width}`,
    `--height=${height}`,
  ];
  const program = spawn(firefoxPath(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => program.once('exit', resolve));
  const stop = async () => {
    program.kill();
    await ended;
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const socket = new WebSocket(`${await addressOf(program)}/session`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const send = commandsOver(socket);
    await send('session.new', { capabilities: {} });
    const [{ context }] = (await send('browsingContext.getTree', {})).contexts;
    await send('browsingContext.navigate', { context, url, wait: 'complete' });
    return {
      /** The value of an expression, or of its promise; it must be JSON. */
      async evaluate(expression) {
        const inJson = `Promise.resolve(${expression}).then((value) => JSON.stringify(value) ?? 'null')`;
        const { result, exceptionDetails } = await send('script.evaluate', { expression: inJson, target: { context }, awaitPromise: true });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
        return JSON.parse(result.value);
      },
      /** Runs a script, which the page's own policy need not allow. */
      async run(script) {
        const expression = `${script}\nundefined`;
        const { exceptionDetails } = await send('script.evaluate', { expression, target: { context }, awaitPromise: false });
        if (exceptionDetails) throw new Error(exceptionDetails.text);
      },
      async press(...keys) {
        const actions = keys.flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]);
        await send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] });
      },
      async resize(to) {
        await send('browsingContext.setViewport', { context, viewport: { width: to, height } });
      },
      async screenshot(file) {
        const { data } = await send('browsingContext.captureScreenshot', { context, origin: 'document' });
        fs.writeFileSync(file, Buffer.from(data, 'base64'));
      },
      async close() {
        socket.terminate();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function addressOf(program) {
  return new Promise((resolve, reject) => {
    let text = '';
    program.stderr.on('data', (chunk) => {
      text += chunk;
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(text)?.[1];
      if (address) resolve(address);
    });
    program.once('exit', (code) => reject(new Error(`Firefox ended with ${code}: ${text.slice(-500)}`)));
    program.once('error', reject);
  });
}

function commandsOver(socket) {
  const waiting = new Map();
  let ids = 0;
  socket.on('message', (data) => {
    const { id, result, error, message } = JSON.parse(String(data));
    if (!waiting.has(id)) return;
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(`${error}: ${message}`));
    else resolve(result);
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox closed the connection'));
  });
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++ids;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
}
