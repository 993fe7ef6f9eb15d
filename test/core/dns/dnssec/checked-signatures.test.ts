/** Signatures over DNSKEY are verified; wrong ones are made again, and never used. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WaypostError } from '../../../../core/base/errors.ts';
import { ALGORITHM } from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair, SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { readKeyPair } from '../../../../core/dns/dnssec/private-key.ts';
import { prepareRrsig } from '../../../../core/dns/dnssec/rrsig.ts';
import { OWN_SHARE, type SigningFault } from '../../../../core/dns/dnssec/signing-threads.ts';
import { SignatureMemo, SigningBatch } from '../../../../core/dns/dnssec/zone-signer.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { EXAMPLE_KEYS } from './rsa-keys.ts';

const test = suite('checked signatures');
const APEX = parseName('example.');
const VALIDITY = { inception: 1_800_000_000, expiration: 1_802_000_000 };
const rightly = SigningKey.signAll;

const keys = [
  ...[ALGORITHM.ECDSAP256SHA256, ALGORITHM.ED25519].map((number) => generateKeyPair(number)),
  ...EXAMPLE_KEYS.map(({ file }) => readKeyPair(file)),
].map((pair) => new SigningKey(pair));

function prepare(key: SigningKey, type: number) {
  const rdatas = [type === TYPE.DNSKEY ? key.dnskey : Uint8Array.of(192, 0, 2, 1)];
  return prepareRrsig({ rrset: { owner: APEX, type, ttl: 300, rdatas }, key, signer: APEX, validity: VALIDITY });
}

/** The first `count` calls make wrong signatures. */
function failing(count: number): void {
  let calls = 0;
  SigningKey.signAll = (inputs) => {
    const isWrong = calls++ < count;
    return rightly(inputs).map((signature) => signature.map((byte, i) => (isWrong && i === 5 ? byte ^ 4 : byte)));
  };
}

test.after.each(() => {
  SigningKey.signAll = rightly;
});

function newMemo(): { memo: SignatureMemo; faults: SigningFault[] } {
  const memo = new SignatureMemo();
  const faults: SigningFault[] = [];
  memo.faults.listener = (fault) => void faults.push(fault);
  return { memo, faults };
}

const isWrong = (error: unknown): boolean => error instanceof WaypostError && error.code === 'wrong_signature';

for (const key of keys) {
  test(`algorithm ${key.algorithm}: the public key verifies what the private key signs`, () => {
    const { message } = prepare(key, TYPE.A);
    const [signature] = rightly([prepare(key, TYPE.A)]);
    assert.ok(key.verifies(message, signature));
    for (const at of [0, 31, 32, 63])
      assert.not(
        key.verifies(
          message,
          signature.map((byte, i) => (i === at ? byte ^ 1 : byte)),
        ),
      );
    assert.not(key.verifies(Buffer.concat([message, Buffer.from('x')]), signature));
  });

  test(`algorithm ${key.algorithm}: a signature that is wrong once is made again`, () => {
    const prepared = prepare(key, TYPE.DNSKEY);
    const { memo, faults } = newMemo();
    failing(1);
    assert.equal(memo.add(prepared), rightly([prepared])[0]);
    assert.is(memo.faults.count, 1);
    const [{ apex, keyTag }] = faults;
    assert.equal([apex, keyTag], [APEX, key.tag]);
  });

  test(`algorithm ${key.algorithm}: one that stays wrong is not remembered`, () => {
    const prepared = prepare(key, TYPE.DNSKEY);
    const { memo } = newMemo();
    failing(2);
    assert.throws(() => memo.add(prepared), isWrong);
    assert.is(memo.made, 0);
    assert.equal(memo.add(prepared), rightly([prepared])[0]);
  });
}

test('a batch fills in signatures of several lengths', () => {
  const batch = new SigningBatch(new SignatureMemo(), null);
  const all = keys.flatMap((key) => [prepare(key, TYPE.A), prepare(key, TYPE.DNSKEY)]);
  const bytes = Buffer.concat(all.flatMap((prepared) => [batch.add(prepared), Buffer.from('between')]));
  for (const _ of batch.signSteps());
  assert.ok(batch.fill(bytes));
  const expected = rightly(all).flatMap((signature) => [signature, Buffer.from('between')]);
  assert.equal(bytes, Buffer.concat(expected));
});

test('a batch checks what threads have made', async () => {
  const [key] = keys;
  const prepared = prepare(key, TYPE.DNSKEY);
  const others = Array.from({ length: OWN_SHARE }, (_, i) => ({
    ...prepare(key, TYPE.A),
    digest: Buffer.alloc(32, i),
  }));
  const threads = {
    sign: async (inputs: Parameters<typeof rightly>[0]) => rightly(inputs).map((signature) => signature.fill(7)),
    close: async () => {},
  };
  const { memo, faults } = newMemo();
  const batch = new SigningBatch(memo, threads as never);
  const bytes = Buffer.from(batch.add(prepared));
  for (const other of others) batch.add(other);
  for (const pending of batch.signSteps()) await pending;
  assert.ok(batch.fill(bytes));
  assert.equal(new Uint8Array(bytes), rightly([prepared])[0]);
  assert.is(faults.length, 1);
});

test.run();
