// `crayon dna info`: the installation, or one vocabulary with its policies.

import { DNA_NAMES } from '../../dna/presets.js';
import { missing } from '../../native/addon.js';
import { native } from '../../native/engine.js';
import { wasmKernels } from '../../wasm/module.js';
import { hasWasm } from '../../wasm/in-node.js';
import { factsOf, policiesOf } from './facts.js';
import { type DnaGiven, openModel } from './model.js';
import { UsageError } from '../usage-error.js';
import { inLines } from '../output/fields.js';
import { write } from '../output/standard-streams.js';

/** `model`: undefined for the installation. */
export async function dnaInfo(model: string | undefined, given: DnaGiven & { json: boolean }, version: string): Promise<boolean> {
  const { json, ...policies } = given;
  if (model === undefined && Object.values(policies).some((value) => value !== undefined)) {
    throw new UsageError('these options are for a MODEL');
  }
  const facts = model === undefined ? installation(version) : modelFacts(model, policies);
  await write(json ? `${JSON.stringify(facts)}\n` : inLines(facts));
  return true;
}

function installation(version: string) {
  using hyenadna = openModel('hyenadna', {});
  const { kind, kernel } = hyenadna.dna.backend;
  return {
    version,
    backend: kind,
    kernel,
    backends: [...(missing ? [] : ['native']), ...(hasWasm() ? ['wasm'] : [])],
    kernels: missing ? wasmKernels() : native().addon.kernels(),
    formats: ['FASTA', 'FASTQ', 'gzip', 'bgzip'],
    models: DNA_NAMES,
  };
}

function modelFacts(model: string, given: DnaGiven) {
  using opened = openModel(model, given);
  const { kind, kernel } = opened.dna.backend;
  const { unknownId = 'none', padId = 'none', ...facts } = factsOf(model, given);
  return { ...facts, unknownId, padId, policies: policiesOf(opened), backend: kind, kernel };
}
