/** What the other files ask of a client of origins holds over node's sockets, too. */
import { kind } from './own-sockets.ts';

kind.isNode = true;
for (const file of ['request', 'faults', 'pool', 'time-outs', 'malformed', 'differential'])
  await import(`./${file}.test.js`);
