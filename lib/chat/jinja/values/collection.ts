// What all values with elements have in common, from texts to dicts.

import { PyObject } from './object.js';

export abstract class Collection extends PyObject {
  abstract override length(): number;

  override truthy(): boolean {
    return this.length() > 0;
  }

  override hasLength(): boolean {
    return true;
  }

  override hasItems(): boolean {
    return true;
  }

  override isIterable(): boolean {
    return true;
  }
}
