/** Verifications of Basic credentials: a flood at one site, and the visitors of others. */
import { hashSync } from '@node-rs/argon2';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Credentials, type Verdict } from '../../../../edge/policy/rules/credentials.ts';

/** As cheap as argon2id may be. */
const hash = (password: string): string => hashSync(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
const users = (password: string) => [{ name: 'ann', hash: hash(password) }];
const field = (password: string): string => `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;

const A = users('right at a');
const B = users('right at b');

const open = () => {
  const credentials = new Credentials();
  const visit = (site: string, network: string, password: string): Verdict | Promise<Verdict> =>
    credentials.check(field(password), site === 'a' ? A : B, () => ({ account: site, network }));
  return { visit };
};

/** More guesses than may wait, all at once. */
const FLOOD = 500;

test('visitors of another site are served during a flood of guesses', async () => {
  const { visit } = open();
  const guesses = Array.from({ length: FLOOD }, (_, i) => visit('a', `192.0.2.${i % 200}`, `guess ${i}`));
  const visitors = Array.from({ length: 11 }, (_, i) => visit('b', `198.51.100.${i}`, 'right at b'));
  assert.equal(new Set(await Promise.all(visitors)), new Set(['accepted']));
  const verdicts = await Promise.all(guesses);
  assert.ok(verdicts.includes('busy'), 'the queue has a limit');
  assert.ok(!verdicts.includes('accepted'));
});

test('visitors of the flooded site are served if they are in another network', async () => {
  const { visit } = open();
  const guesses = Array.from({ length: FLOOD }, (_, i) => visit('a', '192.0.2.1', `guess ${i}`));
  assert.is(await visit('a', '198.51.100.1', 'right at a'), 'accepted');
  await Promise.all(guesses);
});

test('requests with the same pair need one verification', async () => {
  const { visit } = open();
  const page = Array.from({ length: FLOOD }, () => visit('a', '192.0.2.1', 'right at a'));
  assert.is(new Set(page).size, 1, 'one promise');
  assert.is(await page[0], 'accepted');
  assert.is(visit('a', '192.0.2.1', 'right at a'), 'accepted', 'at once');
});

test('guesses do not make the edge forget who was accepted', async () => {
  const { visit } = open();
  assert.is(await visit('b', '198.51.100.1', 'right at b'), 'accepted');
  for (let i = 0; i < 2100; i++) await visit('a', '192.0.2.1', `guess ${i}`);
  assert.is(visit('b', '198.51.100.1', 'right at b'), 'accepted');
});

test.run();
