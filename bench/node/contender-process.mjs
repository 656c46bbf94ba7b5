/** The parent's side of serve.mjs: sends requests to a contender's process, and kills it on a timeout. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('serve.mjs', import.meta.url));

/** A request timed out; its process has been killed. */
export class Overdue extends Error {
  constructor(seconds) {
    super(`no answer within ${seconds} s`);
    this.seconds = seconds;
  }
}

export class ContenderProcess {
  #child;
  #waiting;
  #next = 0;
  #ended;

  /** @param {string} spec @param {string[]} [nodeOptions] */
  constructor(spec, nodeOptions = ['--expose-gc', '--max-old-space-size=8192']) {
    this.spec = spec;
    this.#child = fork(program, [], { execArgv: nodeOptions, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', ({ id, answer, error }) => {
      if (id !== this.#waiting?.id) return;
      if (error === undefined) this.#waiting.resolve(answer);
      else this.#waiting.reject(Object.assign(new Error(error.message), { stack: error.stack }));
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#waiting?.reject(new Error(`the process of ${spec} ended: ${signal ?? `exit code ${code}`}`));
        resolve();
      });
    });
  }

  /** @param {string} question @param {object} about @param {number} [seconds] until the process is ended */
  async ask(question, about = {}, seconds = 300) {
    const id = this.#next++;
    let timer;
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting = { id, resolve, reject };
        timer = setTimeout(() => {
          reject(new Overdue(seconds));
          void this.end();
        }, seconds * 1000);
        this.#child.send({ id, question, about }, (error) => error && reject(error));
      });
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }

  /** Ends the process and waits until it is gone. */
  async end() {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** A fresh process that has loaded a vocabulary, for the time of `use`. */
export async function withContender(spec, encoding, use) {
  const contender = new ContenderProcess(spec);
  try {
    const loaded = await contender.ask('load', { spec, encoding });
    return await use(contender, loaded);
  } finally {
    await contender.end();
  }
}
