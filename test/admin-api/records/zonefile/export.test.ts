/** The snapshot of a zone is not kept for clients that read too slowly. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BODY_RATE } from '../../../../admin-api/http/transport.ts';
import { ExportDeadline } from '../../../../admin-api/records/zonefile/export.ts';

const test = suite('zonefile, export');

test('a client has one minute, plus one second per 64 KB read', () => {
  let now = 5000;
  const deadline = new ExportDeadline(() => now);
  now += 60_000;
  deadline.countRead(0);
  now += 10_000;
  deadline.countRead(10 * BODY_RATE);
  now += 1;
  assert.throws(() => deadline.countRead(0), /too slowly/);
});

test.run();
