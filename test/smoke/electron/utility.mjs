import { encoded } from './encoded.mjs';

process.parentPort.postMessage(await encoded());
