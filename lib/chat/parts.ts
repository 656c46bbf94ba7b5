// Parts of the renderer that most chats do not need: pages load them with the first chat that does.
//
// Rendering is synchronous. Code that needs a part not yet loaded throws a MissingPart; an asynchronous caller loads it and
// starts over, which happens once per part in a program.

/** Templates cannot catch it. */
export class MissingPart extends Error {
  constructor(readonly supply: () => Promise<void>) {
    super('a part of the renderer has not been loaded');
  }
}

export class Part<Contents> {
  #contents: Contents | undefined;
  #load: (() => Promise<Contents>) | undefined;

  install(contents: Contents): void {
    this.#contents = contents;
  }

  /** Sets how to load it. */
  loadBy(load: () => Promise<Contents>): void {
    this.#load = load;
  }

  /** Loads it, unless it is there. */
  async load(): Promise<Contents> {
    if (this.#contents === undefined) await this.#supply();
    return this.contents;
  }

  async #supply(): Promise<void> {
    if (!this.#load) throw new Error('nobody has said how to load this part');
    this.install(await this.#load());
  }

  /** Throws a MissingPart if not yet loaded. */
  get contents(): Contents {
    if (this.#contents === undefined) throw new MissingPart(() => this.#supply());
    return this.#contents;
  }
}
