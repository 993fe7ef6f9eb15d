/** Runs one test file under uvu: `node dist/test/one.js FILE`, its path in dist/test. uvu's own command would look at each file there is. */
import { join } from 'node:path';
import { run } from 'uvu/run';

/** Milliseconds after its last test in which a file is to end by itself; less than the runner waits (run.ts). */
const PATIENCE = 20_000;

const name = process.argv[2];
await run([{ name, file: join(import.meta.dirname, name) }]);

// A test has left something behind, or a part does not stop when it is told to: what that is is said. The timer itself holds nothing.
setTimeout(() => {
  console.error(`${name} does not end: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, PATIENCE).unref();
