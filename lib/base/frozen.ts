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
