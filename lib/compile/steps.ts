// Work that may need a module that few vocabularies need. The work is written once: it says which module it needs, and goes on
// with it. Most callers load the module then; callers that cannot wait have all of them (lib/import/at-once.ts).

/** A module that is loaded when it is needed. */
export interface Needed<Module> {
  name: string;
  load(): Promise<Module>;
}

/** Work that yields modules, and in the end returns. */
export type Steps<Result> = Generator<Needed<unknown>, Result, never>;

/** A module, for work that goes on with it: `yield* needed('words', () => import('./words.js'))`. */
export function* needed<Module>(name: string, load: () => Promise<Module>): Generator<Needed<Module>, Module, Module> {
  return yield { name, load };
}

/** Does the work, loading modules as it needs them. */
export async function later<Result>(steps: Steps<Result>): Promise<Result> {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    step = steps.next((await step.value.load()) as never);
  }
}

/** Does the work with modules that are here, by their names. Throws for one that is not. */
export function atOnce<Result>(steps: Steps<Result>, modules: Readonly<Record<string, unknown>>): Result {
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    const { name } = step.value;
    if (!modules[name]) throw new Error(`the module ${name} is not here`);
    step = steps.next(modules[name] as never);
  }
}
