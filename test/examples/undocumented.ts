// A module with undocumented exports, which test/lib/examples.test.ts must find.

/**
 * Has one.
 *
 * @example
 * ```ts
 * new Documented().documented();
 * ```
 */
export class Documented {
  static undocumentedStatic(): void {}

  /** @internal */
  static internal(): void {}

  readonly constant = 1;
  readonly undocumentedCall = (): void => {};
  #hidden = 0;

  constructor(_undocumented?: number) {}

  get undocumentedAccessor(): number {
    return this.hidden();
  }

  /**
   * Has one.
   *
   * @example
   * ```ts
   * new Documented().documented();
   * ```
   */
  documented(): void {}

  undocumentedMethod(): void {}

  [Symbol.iterator](): void {}

  private hidden(): number {
    return this.#hidden;
  }
}

export const constant = 'value';
export const { documented, undocumentedMethod } = new Documented();
export function undocumentedFunction(): void {}
export interface UndocumentedInterface {
  property: string;
}
export type UndocumentedType = string;
/** @internal */
export const internal = (): void => {};
