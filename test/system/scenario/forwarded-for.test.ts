/** One visitor behind a trusted proxy, however the lists of addresses are written. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { playForwardedFor, SPELLINGS } from './forwarded-for.ts';

test('rules, the access log and the origin have the visitor that the proxy states', async () => {
  const outcomes = await playForwardedFor();
  assert.equal(
    outcomes.map(({ spelling: { name }, ...outcome }) => ({ name, ...outcome })),
    SPELLINGS.map(({ name, visitor }) => ({
      name,
      isDenied: true,
      logged: visitor,
      atOrigin: [visitor, visitor, visitor],
    })),
  );
});

test.run();
