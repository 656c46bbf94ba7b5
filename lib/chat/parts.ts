// Parts of the renderer that most chats do not need: pages load them with the first chat that does.
//
// Rendering is synchronous. Who needs a part that is not there throws a MissingPart; who can wait loads it and begins again,
// which happens once in the life of a program.

/** Nothing in a template can catch it. */
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

  /** Says how to load it. */
  loadBy(load: () => Promise<Contents>): void {
    this.#load = load;
  }

  async #supply(): Promise<void> {
    if (!this.#load) throw new Error('nobody has said how to load this part');
    this.install(await this.#load());
  }

  /** Throws a MissingPart if it has not been loaded. */
  get contents(): Contents {
    if (this.#contents === undefined) throw new MissingPart(() => this.#supply());
    return this.#contents;
  }
}
