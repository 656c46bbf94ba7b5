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
