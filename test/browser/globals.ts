// The Node globals that tests use.

import { Buffer } from 'buffer';

Object.assign(globalThis, { Buffer });
