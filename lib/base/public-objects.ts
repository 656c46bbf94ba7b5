// A tokenizer's data as shown to users, protected from writes despite its type.

/** An immutable Map. */
export class FrozenMap<Key, Value> extends Map<Key, Value> {
  constructor(entries: Iterable<readonly [Key, Value]>) {
    super();
    for (const [key, value] of entries) super.set(key, value);
    Object.freeze(this);
  }

  /** Methods that derive a map from it create an ordinary Map. */
  static override get [Symbol.species](): MapConstructor {
    return Map;
  }

  override set(): never {
    return refuse('set');
  }

  override delete(): never {
    return refuse('delete');
  }

  override clear(): never {
    return refuse('clear');
  }
}

function refuse(method: string): never {
  throw new TypeError(`cannot ${method}: the map cannot be changed; make one of your own: new Map(it)`);
}

/** Freezes a value from JSON.parse, including everything in it; false if it is nested deeper than `levels`. */
export function deepFreeze(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  Object.freeze(value);
  return levels > 0 && Object.values(value).every((inner) => deepFreeze(inner, levels - 1));
}

// What `console.log` and `util.inspect` in Node, and in hosts that follow it, print for an object with private state.

type Inspect = (value: unknown, options: object) => string;

interface InspectOptions {
  stylize(text: string, style: 'special'): string;
}

/**
 * Prints objects with this prototype as a title and some properties; as the title alone if there are none. Hosts that
 * pass no `inspect` print only the properties.
 */
export function inspectAs<T extends object>(
  prototype: T,
  title: (object: T) => string,
  properties: (object: T) => object | undefined,
): void {
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(this: T, depth: number, options: InspectOptions, inspect: Inspect | undefined): unknown {
      let name: string;
      let shown: object | undefined;
      try {
        name = title(this);
        shown = properties(this);
      } catch {
        return this; // an object that only inherits from the prototype: printed like any other
      }
      if (depth < 0) return options.stylize(`[${name}]`, 'special');
      if (shown === undefined) return name;
      return inspect ? `${name} ${inspect(shown, options)}` : shown;
    },
    configurable: true,
    writable: true,
  });
}
