/**
 * The system's WebKitGTK, driven by WebDriver, since Playwright drives only its own build: MiniBrowser on a screen that Xvfb keeps in
 * memory. Only what the playground test needs; the pages have the same methods as those of firefox.mjs.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const SCREEN = '1400x1000x24';
const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'];
const BROWSERS = LIBRARIES.flatMap((folder) => ['4.1', '4.0', '6.0'].map((version) => `${folder}/webkit2gtk-${version}/MiniBrowser`));
const TIMEOUT = 60_000;

/** @returns {string | undefined} the path of MiniBrowser, if its driver and Xvfb are installed too */
export function webkitPath() {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const has = (name) => folders.some((folder) => fs.existsSync(path.join(folder, name)));
  return has('WebKitWebDriver') && has('Xvfb') ? BROWSERS.find((program) => fs.existsSync(program)) : undefined;
}

/**
 * Opens an address in a fresh session.
 * @returns {Promise<{ evaluate(expression: string): Promise<any>, run(script: string): Promise<void>, press(...keys: string[]): Promise<void>, resize(width: number): Promise<void>, screenshot(file: string): Promise<void>, close(): Promise<void> }>}
 */
export async function openInWebKit(url, { width = 1280, height = 860 } = {}) {
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', SCREEN, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const programs = [screen];
  const stop = async () => {
    for (const program of programs.reverse()) {
      const ended = new Promise((resolve) => program.once('exit', resolve));
      if (program.exitCode === null && program.kill()) await ended;
    }
  };
  try {
    const display = await firstLine(screen.stdio[3], screen, 'Xvfb');
    // Port 0 would be printed nowhere.
    const port = 20_000 + Math.floor(Math.random() * 40_000);
    const environment = { DISPLAY: `:${display}`, GDK_BACKEND: 'x11', LIBGL_ALWAYS_SOFTWARE: '1' };
    const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
      stdio: 'ignore',
      // The browser's own sandbox refuses to start for root, and where user namespaces are forbidden.
      env: { ...process.env, ...environment, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
    });
    programs.push(driver);
    const call = callsOf(`http://127.0.0.1:${port}`);
    await answering(call, driver);
    const browserOptions = { 'webkitgtk:browserOptions': { binary: webkitPath(), args: ['--automation'] } };
    const { sessionId } = await call('POST', '/session', { capabilities: { alwaysMatch: browserOptions } });
    const inSession = (method, command, body) => call(method, `/session/${sessionId}/${command}`, body);
    // Its toolbar makes the window at least as wide as itself, which is less than 450 pixels.
    const resize = (to) => inSession('POST', 'window/rect', { width: to, height });
    await resize(width);
    await inSession('POST', 'url', { url });
    return {
      /** The value of an expression, or of its promise; it must be JSON. */
      async evaluate(expression) {
        const script = `const done = arguments[0]; Promise.resolve(${expression}).then((value) => done(JSON.stringify({ value })), (error) => done(JSON.stringify({ failure: String(error) })))`;
        const { value, failure } = JSON.parse(await inSession('POST', 'execute/async', { script, args: [] }));
        if (failure !== undefined) throw new Error(failure);
        return value ?? null;
      },
      /** Runs a script, which the page's own policy need not allow. */
      async run(script) {
        await inSession('POST', 'execute/sync', { script, args: [] });
      },
      async press(...keys) {
        const actions = keys.flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]);
        await inSession('POST', 'actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
      },
      resize,
      async screenshot(file) {
        fs.writeFileSync(file, Buffer.from(await inSession('GET', 'screenshot'), 'base64'));
      },
      async close() {
        await inSession('DELETE', '').catch(() => undefined);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function firstLine(stream, program, name) {
  return new Promise((resolve, reject) => {
    stream.once('data', (data) => resolve(String(data).trim()));
    program.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
    program.once('error', reject);
  });
}

function callsOf(address) {
  return async (method, place, body) => {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(address + place.replace(/\/$/, ''), { method, body: content, signal: AbortSignal.timeout(TIMEOUT) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
}

async function answering(call, driver) {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (driver.exitCode !== null) throw new Error(`WebKitWebDriver ended with ${driver.exitCode}`);
    const ready = await call('GET', '/status').then(
      () => true,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('WebKitWebDriver does not answer');
}
