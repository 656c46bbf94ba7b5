/**
 * A registry of npm packages on this machine, for rehearsals: verdaccio, with only the packages published to it.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { npm } from './npm.mjs';
import { root } from './process.mjs';

/** The last version for Node 20. It is not a dependency of the project, with its 327 packages of 58 MB. */
const VERSION = '6.8.0';
const MOST_MS = 60_000;

/**
 * Starts one with nothing in it, in a folder of its own.
 * @param {string} folder
 * @returns {Promise<{ url: string, userconfig: string, stop: () => Promise<void> }>} `userconfig`: with it, npm may publish there
 */
export async function startRegistry(folder) {
  const program = installed();
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const config = {
    storage: path.join(folder, 'storage'),
    listen: `127.0.0.1:${port}`,
    auth: { htpasswd: { file: path.join(folder, 'htpasswd'), max_users: -1 } },
    // Whoever is on this machine; nothing comes from elsewhere.
    packages: { '**': { access: '$all', publish: '$all' } },
    web: { enable: false },
    max_body_size: '100mb',
    log: { type: 'file', path: path.join(folder, 'log'), level: 'warn' },
  };
  // JSON is YAML.
  fs.writeFileSync(path.join(folder, 'config.yaml'), JSON.stringify(config));
  const url = `http://127.0.0.1:${port}/`;
  const userconfig = path.join(folder, 'npmrc');
  // npm publishes nothing without a token, whatever it is.
  fs.writeFileSync(userconfig, `${url.slice('http:'.length)}:_authToken=none\nregistry=${url}\nupdate-notifier=false\n`);
  const server = spawn(process.execPath, [program, '--config', path.join(folder, 'config.yaml')], { cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('close', resolve));
  const stop = async () => {
    server.kill();
    await ended;
  };
  const began = Date.now();
  while (!(await answers(url))) {
    if (server.exitCode !== null || Date.now() - began > MOST_MS) {
      await stop();
      throw new Error(`verdaccio has not started: ${path.join(folder, 'log')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, userconfig, stop };
}

/** The path of verdaccio's program, installed now if need be. */
function installed() {
  const home = path.join(root, 'build', 'verdaccio', VERSION);
  const program = path.join(home, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  if (fs.existsSync(path.join(home, 'complete'))) return program;
  console.log(`installing verdaccio ${VERSION} from npm (once)`);
  fs.rmSync(home, { recursive: true, force: true });
  fs.mkdirSync(home, { recursive: true });
  // It asks for node-fetch by a tag, which mirrors of npm's registry may lack.
  const manifest = {
    private: true,
    dependencies: { verdaccio: VERSION },
    overrides: { 'node-fetch': '2.7.0', 'node-fetch-cjs': 'npm:node-fetch@2.7.0' },
  };
  fs.writeFileSync(path.join(home, 'package.json'), JSON.stringify(manifest));
  npm(['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: home });
  fs.writeFileSync(path.join(home, 'complete'), '');
  return program;
}

async function answers(url) {
  try {
    return (await fetch(`${url}-/ping`)).ok;
  } catch {
    return false;
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
