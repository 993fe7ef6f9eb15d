/** Sign-ins of one client leave room for those of others. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../../admin-api/http/errors.ts';
import { Passwords } from '../../../../admin-api/people/auth/password.ts';
import { strangerAt } from '../../../../core/net/address/ipv6.ts';

/**
 * Half of the queue. A sign-in that waits for its turn only comes after a few guesses; while its
 * thread is not running, the other slot may finish some more.
 */
const FEW = 32;
const CHEAP = { memoryCost: 64, timeCost: 1, parallelism: 1 };

/** How many of a flood's guesses were verified before a sign-in from elsewhere was. */
async function verifiedBefore(addresses: readonly string[], elsewhere: string): Promise<number> {
  const passwords = new Passwords(CHEAP);
  const stored = await passwords.hash('right', strangerAt(elsewhere));
  let verified = 0;
  let refused = 0;
  const flood = addresses.map((address) =>
    passwords.verify(undefined, 'guess', strangerAt(address)).then(
      () => verified++,
      (error: unknown) => {
        assert.ok(error instanceof HttpError && error.status === 503 && error.code === 'busy');
        refused++;
      },
    ),
  );
  assert.ok(await passwords.verify(stored, 'right', strangerAt(elsewhere)), 'the right sign-in is accepted');
  const before = verified;
  await Promise.all(flood);
  assert.ok(refused > 0, 'the queue was full');
  return before;
}

test('a flood from one address does not delay a sign-in from another one', async () => {
  assert.ok((await verifiedBefore(Array(300).fill('192.0.2.1'), '198.51.100.7')) < FEW);
});

test('nor does one from 300 networks of one /48', async () => {
  const flood = Array.from({ length: 300 }, (_, i) => `2001:db8:0:${i.toString(16)}::1`);
  assert.ok((await verifiedBefore(flood, '2001:db8:1::1')) < FEW);
});

test('the next client of a queue that many clients have filled is served in its turn', async () => {
  const flood = [...Array(100).fill('192.0.2.1'), ...Array(100).fill('192.0.2.2'), ...Array(100).fill('192.0.2.3')];
  assert.ok((await verifiedBefore(flood, '198.51.100.7')) < FEW);
});

test.run();
