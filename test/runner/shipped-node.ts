/** `node dist/test/runner/shipped-node.js`: prints the folder of the Node that a release has. */
import { dirname } from 'node:path';
import { nodeBinary, SHIPPED } from './node-binary.ts';

process.stdout.write(`${dirname(nodeBinary(SHIPPED))}\n`);
