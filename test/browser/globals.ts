// What tests use of Node's globals.

import { Buffer } from 'buffer';

Object.assign(globalThis, { Buffer });
