// The script of a worker of hosts/module/worker-pool.ts: opens a tokenizer, then encodes incoming texts. The page sends the module
// and the cartridge, so bundlers do not include every vocabulary here.

import { isDat, readDat } from './vocabularies/open/dat.js';
import { splitInSlices } from './engine/encode-in-slices.js';
import type { EngineTokenizer, PartForm, Policy, TextSession } from './engine/engine.js';
import { TokenizerError } from './base/errors.js';
import { feedTexts, textCount, type Texts } from './engine/text-rows.js';
import { openWasm } from './hosts/module/module-tokenizer.js';
import type { WorkerAnswer, WorkerRecipe, WorkerRequest, WorkerTexts } from './hosts/module/worker-job.js';

interface WorkerScope {
  postMessage(message: WorkerAnswer, transfer?: ArrayBuffer[]): void;
  onmessage: ((event: { data: WorkerRequest }) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;
let engine: EngineTokenizer | undefined;
/** The long text whose parts arrive one by one, and how many of its tokens have been counted. */
let long: { session: TextSession; counted: number } | undefined;

function open({ module, bytes, options, unknown }: WorkerRecipe): void {
  const dat = isDat(bytes) ? { ...readDat({ list: undefined }), unknown } : undefined;
  engine = openWasm(module, bytes, { ...options, dat });
  scope.postMessage({ ready: true });
}

function encode(request: WorkerTexts, policy: Policy, counting: boolean, form: PartForm | undefined): void {
  if (form && 'texts' in request) return split(request.texts, form, policy);
  const isNew = 'texts' in request || request.isFirst;
  const session = isNew || !long ? (engine as EngineTokenizer).begin(policy, counting, form) : long.session;
  const isWhole = 'texts' in request || request.isLast;
  try {
    let totals: Uint32Array<ArrayBuffer>;
    if ('texts' in request) {
      totals = new Uint32Array(textCount(request.texts) + 1);
      feedTexts(session, request.texts, totals);
    } else {
      const total = session.feed(request.part, request.isLast);
      const counted = counting && !isNew ? (long?.counted ?? 0) : 0;
      totals = Uint32Array.of(0, total - counted);
      if (!isWhole) long = { session, counted: counting ? total : 0 };
    }
    const ids = counting ? new Uint32Array(0) : session.take();
    scope.postMessage({ ids, totals }, [ids.buffer, totals.buffer]);
    if (isWhole) end(session);
  } catch (error) {
    end(session);
    throw error;
  }
}

function split(texts: Texts, form: PartForm, policy: Policy): void {
  const work = splitInSlices(engine as EngineTokenizer, texts, form, policy);
  for (;;) {
    const { done, value } = work.next();
    if (done) return scope.postMessage(value, [value.ids.buffer, value.totals.buffer]);
  }
}

function end(session: TextSession): void {
  session.end();
  if (long?.session === session) long = undefined;
}

scope.onmessage = ({ data }) => {
  try {
    if ('recipe' in data) open(data.recipe);
    else if ('forget' in data) {
      if (long) end(long.session);
    } else encode(data, data.policy, data.counting, data.form);
  } catch (error) {
    const { message } = error as Error;
    const details = error instanceof TokenizerError ? { code: error.code, position: error.position, row: error.row } : {};
    scope.postMessage({ failure: { message, ...details } });
  }
};
