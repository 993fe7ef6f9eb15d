/** For watch.test.ts: a file that follows another one in the same process. */
import { suite } from 'uvu';

const test = suite('afterwards');
test('ends', () => {});
test.run();
