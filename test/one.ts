/** Runs one test file under uvu: `node dist/test/one.js FILE`, its path in dist/test. uvu's own command would look at each file there is. */
import { join } from 'node:path';
import { run } from 'uvu/run';

const name = process.argv[2];
await run([{ name, file: join(import.meta.dirname, name) }]);
