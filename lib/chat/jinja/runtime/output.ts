// A template's output so far, and the origin of each part.

import { checkLength } from '../budget.js';
import { Mix, type Origin, pushRun } from '../values/origin.js';
import { Str } from '../values/str.js';

export class Output {
  text = '';
  /** The end of each run and its origin, alternating. */
  readonly runs: number[] = [];

  write(text: string, origin: Origin): void {
    if (text === '') return;
    const before = this.text.length;
    checkLength(before + text.length);
    this.text += text;
    if (typeof origin === 'number') return pushRun(this.runs, before + text.length, origin);
    const { runs } = origin;
    for (let i = 0; i < runs.length; i += 2) pushRun(this.runs, before + (runs[i] as number), runs[i + 1] as number);
  }

  finish(markup: boolean): Str {
    return new Str(this.text, Mix.ofRuns(this.runs), markup);
  }
}
