/**
 * How soon the playground of the documentation shows tokens, and what five megabytes from the clipboard do to it:
 * `node bench/browser/playground.mjs [--rounds 5] [--out FILE.json]`, after `npm run build`.
 *
 * The first visit is measured over a line of 10 Mbit/s that all answers share, with 40 ms before each answer, and computed: the bytes
 * that are sent until the first tokens are there, at 10 Mbit/s, three round trips, the time of the processor that the worker uses once
 * the vocabulary is there, and that of the task which shows its answer; what the two do before that, they do while bytes come, or beside
 * each other. The computed time does not depend on what else the machine does, but for its caches; the measured one does. The page begins with a sample, whose tokens
 * come with it: how soon these are there is measured, too.
 *
 * The same visit over 1.6 Mbit/s, a poor mobile line, is measured on the clock alone. A keystroke is one of execCommand in the
 * middle of a text of a megabyte, until its count is shown and a frame is drawn; a page with a textarea of that text and nothing else says
 * how much of that is the browser's. The memory is what the process of the page alone has (Private_Clean
 * and Private_Dirty of /proc), page and worker together, with that text, 23 seconds after the last of 60 keystrokes. Three seconds after
 * it, the process still has the string of each keystroke: a text box gives its whole text as a new one.
 *
 * A paste is the event with its five megabytes. A task of the page's thread that takes more than 50 ms is a blocked frame: for each the
 * time on the clock and that of the processor are given, as another process may have had the processor meanwhile.
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';

import { buildPlayground } from '../../docs/playground/build.mjs';
import { CHROMIUM_ARGUMENTS, chromiumPath } from '../../scripts/chromium.mjs';
import { longText, pasteAndMeasure } from '../../test/playground/long-paste.mjs';
import { serve } from '../../test/playground/serve.mjs';
import { commit, machine, watchLoad } from '../machine.mjs';
import { record, today } from '../record.mjs';

const built = fileURLToPath(new URL('../../build/bench/playground/', import.meta.url));
const LINE = { bitsPerSecond: 10_000_000, latency: 40 };
const SLOW = { bitsPerSecond: 1_600_000, latency: 40 };
/** The page, the worker's script, and the engine with its vocabulary: each is discovered when the previous one has arrived. */
const ROUND_TRIPS = 3;
const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'blink.user_timing', 'v8.execute', 'toplevel'];

const threadOf = ({ pid, tid }) => `${pid}/${tid}`;
const isTask = ({ name, ph }) => ph === 'X' && /RunTask$/.test(name);

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, out: { type: 'string' }, site: { type: 'string' } } });
const stopWatching = watchLoad();
// Another build can be measured in place of this one.
const site = values.site ?? built;
if (values.site === undefined) await buildPlayground({ out: site });
const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGUMENTS });
const rows = [];
for (let round = 0; round < Number(values.rounds); round++) {
  rows.push({ round, ...(await firstVisit()), ...(await slowVisit()), ...(await keystrokes()), ...(await paste()) });
  console.error(JSON.stringify(rows.at(-1)));
}
const version = browser.version();
await browser.close();
const around = stopWatching();
const report = reportOf(rows);
const result = { date: today(), machine: machine(), ...commit(), chromium: version, around, rows };
console.log(report);
console.log(record(result, report, { question: 'playground', out: values.out }));

async function firstVisit() {
  const server = await serve(site, LINE);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers: 'block' });
  try {
    const page = await context.newPage();
    const stop = await traced(context, page);
    await page.goto(server.url, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('tokens-shown').length > 0, null, { timeout: 60_000 });
    const shown = await page.evaluate(() => performance.getEntriesByName('tokens-shown')[0].startTime);
    const events = await stop();
    const mark = events.find(({ name, cat }) => name === 'tokens-shown' && cat.includes('user_timing'));
    const sample = await page.evaluate(() => performance.getEntriesByName('sample-shown')[0].startTime);
    const { main, workers } = cpuUntil(events, mark);
    // The second vocabulary of the comparison is requested after the first tokens.
    const until = server.sent.filter(({ name }) => !name.includes('cl100k_base'));
    const needed = new Map(until.map(({ name, bytes }) => [name, bytes]));
    const bytes = [...needed.values()].reduce((sum, each) => sum + each, 0);
    const computed = (bytes * 8000) / LINE.bitsPerSecond + ROUND_TRIPS * LINE.latency + main + workers;
    return { bytes, files: Object.fromEntries(needed), main, workers, computed, measured: shown, sample };
  } finally {
    await context.close();
    await server.close();
  }
}

/** Milliseconds until the tokens of the sample are shown, and until those of the engine are. */
async function slowVisit() {
  const server = await serve(site, SLOW);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers: 'block' });
  try {
    const page = await context.newPage();
    await page.goto(server.url, { waitUntil: 'commit' });
    await page.waitForFunction(() => performance.getEntriesByName('tokens-shown').length > 0, null, { timeout: 60_000 });
    const at = (mark) => page.evaluate((name) => performance.getEntriesByName(name)[0].startTime, mark);
    return { slow: await at('tokens-shown'), slowSample: await at('sample-shown') };
  } finally {
    await context.close();
    await server.close();
  }
}

async function keystrokes() {
  const server = await serve(site);
  const own = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGUMENTS });
  try {
    const page = await own.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(server.url);
    await page.waitForFunction(() => performance.getEntriesByName('tokens-shown').length > 0);
    const times = await page.evaluate(async (text) => {
      const box = document.querySelector('#text');
      const shown = () => performance.getEntriesByName('tokens-shown').length;
      const untilShown = async (change) => {
        const before = shown();
        const began = performance.now();
        change();
        while (shown() === before) await new Promise((resolve) => setTimeout(resolve));
        await new Promise((resolve) => requestAnimationFrame(resolve));
        return performance.now() - began;
      };
      const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      await untilShown(() => {
        box.value = text;
        box.dispatchEvent(new Event('input'));
      });
      box.focus();
      box.setSelectionRange(500_000, 500_000);
      const type = (character) => document.execCommand('insertText', false, character);
      await pause(1500);
      // The module for documents comes with the first one.
      await untilShown(() => type('x'));
      await pause(1500);
      const all = [];
      for (let key = 0; key < 60; key++) {
        all.push(await untilShown(() => type(key % 6 === 5 ? ' ' : 'e')));
        await pause(key % 20 === 19 ? 1200 : 90);
      }
      return all.sort((a, b) => a - b);
    }, longText(1_000_000));
    await page.waitForTimeout(3000);
    const memoryAfterTyping = await memoryOf(own);
    await page.waitForTimeout(20_000);
    const memory = await memoryOf(own);
    await page.goto('about:blank');
    const bare = await page.evaluate(bareKeystrokes, longText(1_000_000));
    const middle = (sorted) => sorted[sorted.length >> 1];
    return { keystroke: middle(times), worstKeystroke: times.at(-1), bareKeystroke: middle(bare), memory, memoryAfterTyping };
  } finally {
    await own.close();
    await server.close();
  }
}

/** Runs in an empty page. */
async function bareKeystrokes(text) {
  const box = document.createElement('textarea');
  box.style.cssText = 'width: 420px; height: 420px';
  document.body.append(box);
  box.value = text;
  box.focus();
  box.setSelectionRange(500_000, 500_000);
  const times = [];
  for (let key = 0; key < 20; key++) {
    await new Promise((resolve) => setTimeout(resolve, 90));
    const began = performance.now();
    document.execCommand('insertText', false, 'e');
    await new Promise((resolve) => requestAnimationFrame(resolve));
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
}

/** Megabytes that the largest process of a page has for itself. */
async function memoryOf(own) {
  const session = await own.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const of = ({ id }) => {
    const rollup = fs.readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
    return [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) / 1000;
  };
  return Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(of));
}

async function paste() {
  const server = await serve(site);
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, serviceWorkers: 'block' });
  try {
    const page = await context.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => /\d/.test(document.querySelector('#rows tr:nth-child(2) .tokens').textContent));
    await page.fill('#text', '');
    await page.waitForFunction(() => document.querySelector('#count').textContent === '0');
    await page.evaluate((text) => {
      globalThis.pasted = text;
    }, longText());
    const stop = await traced(context, page);
    const { handler, first, whole, longestFrame } = await page.evaluate(`(${pasteAndMeasure})(globalThis.pasted)`);
    const tasks = mainTasks(await stop()).filter(({ dur }) => dur > 1000);
    const clock = Math.max(...tasks.map(({ dur }) => dur)) / 1000;
    const cpu = Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
    return {
      handler,
      first,
      whole,
      longestFrame,
      longestTask: clock,
      longestTaskCpu: cpu,
      tasksOver50: tasks.filter(({ dur }) => dur > 50_000).length,
      tasksOver50Cpu: tasks.filter(({ tdur = 0 }) => tdur > 50_000).length,
    };
  } finally {
    await context.close();
    await server.close();
  }
}

/** @returns {Promise<() => Promise<object[]>>} ends the trace */
async function traced(context, page) {
  const session = await context.newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const ended = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: CATEGORIES } });
  return async () => {
    await session.send('Tracing.end');
    await ended;
    return events;
  };
}

function threadsNamed(events, pattern) {
  return new Set(events.filter(({ name, args }) => name === 'thread_name' && pattern.test(args.name)).map(threadOf));
}

/** The tasks of the page's busiest thread. */
function mainTasks(events) {
  const threads = threadsNamed(events, /^CrRendererMain$/);
  const tasks = events.filter((event) => isTask(event) && threads.has(threadOf(event)));
  const busy = new Map();
  for (const task of tasks) busy.set(threadOf(task), (busy.get(threadOf(task)) ?? 0) + task.dur);
  const [busiest] = [...busy].sort(([, a], [, b]) => b - a)[0];
  return tasks.filter((task) => threadOf(task) === busiest);
}

/** CPU milliseconds: the worker's from the vocabulary's arrival until a mark, and the page's task that sets the mark. */
function cpuUntil(events, mark) {
  const request = events.findLast(({ name, args }) => name === 'ResourceSendRequest' && /o200k_base-/.test(args.data.url)).args.data
    .requestId;
  const arrived = events.find(({ name, args }) => name === 'ResourceFinish' && args.data.requestId === request).ts;
  const main = threadOf(mark);
  const workers = threadsNamed(events, /^DedicatedWorker/);
  const sum = (tasks) => tasks.reduce((total, { tdur = 0 }) => total + tdur / 1000, 0);
  const tasks = events.filter((event) => isTask(event) && event.ts < mark.ts);
  return {
    main: sum(tasks.filter((task) => threadOf(task) === main && task.ts + task.dur > mark.ts)),
    workers: sum(tasks.filter((task) => workers.has(threadOf(task)) && task.ts + task.dur > arrived)),
  };
}

function reportOf(measured) {
  const middle = (of) => measured.map((row) => row[of]).sort((a, b) => a - b)[Math.floor(measured.length / 2)];
  const worst = (of) => Math.max(...measured.map((row) => row[of]));
  const ms = (value) => `${Math.round(value)} ms`;
  const line = (name, aim, of, show = ms) => `| ${name} | ${aim} | ${show(middle(of))} | ${show(worst(of))} |`;
  const load = around.load.before.concat(around.load.after).map((each) => each.toFixed(1));
  const files = Object.entries(measured[0].files).sort(([, a], [, b]) => b - a);
  return `# The playground

Chromium ${version}; ${measured.length} rounds; load before ${load[0]}, after ${load[3]}${around.foreign === null ? '' : `, other processes kept ${around.foreign.toFixed(1)} cores busy`}.
\`node bench/browser/playground.mjs\` says how this is measured.

| | aim | median | worst |
|---|--:|--:|--:|
${line('first tokens with o200k_base, cold cache, 10 Mbit/s, computed', '1500 ms', 'computed')}
${line('the same on the clock of this machine, over a line of 10 Mbit/s', '', 'measured')}
${line('bytes until then, under gzip', '', 'bytes', (value) => value.toLocaleString('en'))}
${line('time of the processor, the task of the page that shows them', '', 'main')}
${line("the same, the worker's once the vocabulary is there: expand, check, encode", '', 'workers')}
${line('tokens of the sample, which come with the page, on the clock', '', 'sample')}
${line('first tokens over a line of 1.6 Mbit/s, on the clock', '2500 ms', 'slow')}
${line('the same, tokens of the sample, which come with the page', '', 'slowSample')}
${line('a keystroke in 1 MB, until its count is drawn: median', '60 ms', 'keystroke')}
${line('the same, the worst of 60', '150 ms', 'worstKeystroke')}
${line('the same in a page with nothing but a textarea, until a frame is drawn: median', '', 'bareKeystroke')}
${line('memory of the page and its worker with 1 MB of text', '200 MB', 'memory', (value) => `${Math.round(value)} MB`)}
${line('the same, three seconds after 60 keystrokes', '', 'memoryAfterTyping', (value) => `${Math.round(value)} MB`)}
${line('5 MB pasted: the handler of the event', '50 ms', 'handler')}
${line('5 MB pasted: the first screen of tokens', '100 ms', 'first')}
${line('5 MB pasted: all tokens', '', 'whole')}
${line('longest task of the page, paste and scrolling, on the clock', '50 ms', 'longestTask')}
${line('the same, time of the processor', '50 ms', 'longestTaskCpu')}
${line('tasks of more than 50 ms on the clock', '0', 'tasksOver50', String)}
${line('tasks of more than 50 ms of the processor', '0', 'tasksOver50Cpu', String)}

What the first visit loads before it shows tokens:

| file | bytes under gzip |
|---|--:|
${files.map(([name, bytes]) => `| ${name.replace(/^a-\w+\//, '').replace(/-[\w-]{8}\.js$/, '.js')} | ${bytes.toLocaleString('en')} |`).join('\n')}
`;
}
