// Work that may need a module that few vocabularies need. The work is written once: it says which module it needs, and goes on
// with it. Most callers load the module then; callers that cannot wait have all of them (lib/compile/at-once.ts).

/** The modules, each loaded when it is needed. */
const MODULES = {
  tables: () => import('../patterns/tables.js'),
  words: () => import('../patterns/words.js'),
  javascript: () => import('../patterns/javascript.js'),
  scripts: () => import('./unicode-scripts.js'),
  sentencepiece: () => import('./sentencepiece/vocabulary.js'),
};

export type ModuleName = keyof typeof MODULES;
/** The modules by their names. */
export type Modules = { [Name in ModuleName]: Awaited<ReturnType<(typeof MODULES)[Name]>> };

/** Work that yields the names of modules, and in the end returns. */
export type Steps<Result> = Generator<ModuleName, Result, never>;

/** A module, for work that goes on with it: `yield* needed('words')`. */
export function* needed<Name extends ModuleName>(name: Name): Generator<Name, Modules[Name], Modules[Name]> {
  return yield name;
}

/** Does the work, loading modules as it needs them. */
export async function later<Result>(steps: Steps<Result>): Promise<Result> {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    step = steps.next((await MODULES[step.value]()) as never);
  }
}

/** Does the work with modules that are here. Throws for one that is not. */
export function atOnce<Result>(steps: Steps<Result>, modules: Partial<Modules>): Result {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    const module = modules[step.value];
    if (!module) throw new Error(`the module ${step.value} is not here`);
    step = steps.next(module as never);
  }
}
