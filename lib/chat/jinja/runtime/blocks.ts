// `self`, and the blocks that are its attributes.

import { enter, leave } from '../budget.js';
import { raise } from '../errors.js';
import { NO_KEYWORDS } from '../values/callable.js';
import { PyObject, type Value, type Writer } from '../values/object.js';
import type { Str } from '../values/str.js';
import { Undefined } from '../values/undefined.js';
import { currentPosition, setPosition } from './activation.js';

/** A block of the template, callable as `self.name()`. */
class BlockReference extends PyObject {
  readonly type = 'BlockReference';

  constructor(private readonly body: () => Str) {
    super();
  }

  override get module(): string {
    return 'jinja2.runtime';
  }

  override isCallable(): boolean {
    return true;
  }

  override call(args: readonly Value[], keywords = NO_KEYWORDS): Value {
    if (args.length > 0 || keywords.length() > 0) raise('TypeError', 'BlockReference.__call__() takes no arguments');
    const before = currentPosition();
    enter();
    const text = this.body();
    leave();
    setPosition(before);
    return text;
  }

  override attribute(name: string): Value | undefined {
    return name === 'super' ? new Undefined('there is no parent block called like this.') : undefined;
  }
}

/** `self`: the blocks of the template. */
export class TemplateReference extends PyObject {
  readonly type = 'TemplateReference';

  constructor(private readonly blocks: ReadonlyMap<string, () => Str>) {
    super();
  }

  override get module(): string {
    return 'jinja2.runtime';
  }

  override hasItems(): boolean {
    return true;
  }

  override item(key: Value): Value | undefined {
    const body = key instanceof PyObject && key.type === 'str' ? this.blocks.get((key as Str).text) : undefined;
    return body ? new BlockReference(body) : undefined;
  }

  override writeRepr(writer: Writer): void {
    writer.write('<TemplateReference None>');
  }
}
