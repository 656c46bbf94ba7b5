// `loop` in a loop over known elements, of which any can be the current one.

import { LoopObject } from '../runtime/loop.js';
import { tracer, untraceable } from '../runtime/tracer.js';
import type { Value } from '../values/object.js';

/** Templates that use anything else than attributes of `loop` have no use for it. */
export class PlacedLoop extends LoopObject {
  protected readonly depth0 = 0;

  constructor(
    readonly items: readonly Value[],
    public place = 0,
  ) {
    super();
  }

  protected before(): Value | undefined {
    return this.items[this.place - 1];
  }

  protected after(): Value | undefined {
    return this.items[this.place + 1];
  }

  override length(): number {
    return this.items.length;
  }

  override attribute(name: string): Value | undefined {
    const value = this.current(name);
    if (name === 'cycle') tracer?.loop('index0', this.place);
    else if (name === 'changed') untraceable();
    else tracer?.loop(name, value);
    return value;
  }

  /** An attribute, without telling anybody. */
  current(name: string): Value | undefined {
    return super.attribute(name);
  }
}
