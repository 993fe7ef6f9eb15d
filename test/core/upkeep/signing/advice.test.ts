/** What the owner of a zone reads about its parent. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dsRdata } from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair } from '../../../../core/dns/dnssec/keys.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { DNSSEC_PHASES, type DnssecKey, type DnssecState, type ParentLook } from '../../../../core/store/rows.ts';
import { adviseOn } from '../../../../core/upkeep/signing/advice.ts';
import { beginRollover, beginSigning, type SignedZone } from '../../../../core/upkeep/signing/zone-lifecycle.ts';

const test = suite('core/upkeep/signing/advice');

const APEX = parseName('signed.example.');
const NOW = 1_800_000_000;
const DAY = 86_400;

function newKey(id: number, algorithm: 13 | 15 = 15): DnssecKey {
  const dnskey = Buffer.from(generateKeyPair(algorithm).dnskey).toString('base64');
  return { id, dnskey, sealed: '', use: 'sign', isTrusted: true, createdAt: 0 };
}
const dsOf = ({ dnskey }: { readonly dnskey: string }): string =>
  Buffer.from(dsRdata(APEX, Buffer.from(dnskey, 'base64'))).toString('hex');

const KEY = newKey(1);
const OTHER = newKey(2);
const UNKNOWN = `abcd0f02${'11'.repeat(32)}`;

function zoneWith(sets: readonly (readonly string[])[], changes: Partial<DnssecState> = {}): SignedZone {
  const row = { domainId: 1, algorithm: 15, clock: NOW, keys: [KEY], foreign: [], parent: 'publish' } as const;
  const { state } = beginSigning(row, DAY, NOW);
  const parent: ParentLook = { zone: 'example', sets, ttl: 60, servers: 2, answered: 2, checkedAt: NOW };
  return { row, state: { ...state, phase: 'secure', servedSince: NOW, dsTtl: 60, parent, ...changes } };
}

const problemOf = (zone: SignedZone) => adviseOn(zone, APEX).problem;

test('every phase has a next step', () => {
  const { row, state } = zoneWith([[]]);
  const options = { isEmergency: false, largestTtl: DAY };
  const two = beginRollover({ row, state }, OTHER, options, NOW).row;
  for (const phase of DNSSEC_PHASES) {
    const isRolling = /^roll|retire/.test(phase);
    for (const settledSince of [null, NOW]) {
      const { nextStep } = adviseOn({ row: isRolling ? two : row, state: { ...state, phase, settledSince } }, APEX);
      assert.match(nextStep, /^[A-Z].{10,}\.$/, phase);
    }
  }
});

test('the signatures of a key that is removed are not called those of the new key', () => {
  const { row, state } = zoneWith([[]]);
  const keys = [{ ...newKey(1, 13), use: 'none' as const, isTrusted: false }, OTHER];
  const { nextStep } = adviseOn({ row: { ...row, keys }, state: { ...state, phase: 'rolling_resign' } }, APEX);
  assert.match(nextStep, /signatures of the key that is being removed/);
});

test('the right DS is no problem', () => {
  assert.is(problemOf(zoneWith([[dsOf(KEY)]])), null);
});

test('a DS of a former key is stale, of any other key foreign', () => {
  const stale = problemOf(zoneWith([[dsOf(OTHER)]], { retired: [OTHER.dnskey] }));
  assert.equal([stale?.code, stale?.reason], ['ds_mismatch', 'stale']);
  assert.match(stale?.message ?? '', /former key .*reject answers for signed\.example: replace it/);
  const foreign = problemOf(zoneWith([[UNKNOWN]]));
  assert.equal([foreign?.code, foreign?.reason], ['ds_mismatch', 'foreign']);
  assert.match(foreign?.message ?? '', /key tag 43981, algorithm 15.*reject/);
});

test('next to the right DS, another one is to be removed, and breaks nothing', () => {
  const problem = problemOf(zoneWith([[dsOf(KEY), UNKNOWN].sort()]));
  assert.is(problem?.reason, 'foreign');
  assert.match(problem?.message ?? '', /Remove it at your registrar\.$/);
});

test('a DS that is missing everywhere, or at some servers', () => {
  const everywhere = problemOf(zoneWith([[]]));
  assert.equal([everywhere?.reason, /not validated/.test(everywhere?.message ?? '')], ['missing', true]);
  const some = problemOf(zoneWith([[dsOf(KEY)], []]));
  assert.equal([some?.reason, /normal for some hours/.test(some?.message ?? '')], ['missing', true]);
  assert.is(problemOf(zoneWith([[]], { phase: 'awaiting_ds', dsTtl: 0 })), null, 'it was never there');
  assert.is(problemOf(zoneWith([[]], { phase: 'removing_ds' })), null);
});

test('with the keys of another provider, its DS records are expected', () => {
  const { row, state } = zoneWith([[dsOf(KEY), UNKNOWN].sort()]);
  const foreign = [{ id: 3, dnskey: newKey(3).dnskey, createdAt: 0 }];
  assert.is(problemOf({ row: { ...row, foreign }, state }), null);
});

test('a parent that cannot be asked is named with the reason', () => {
  const problem = problemOf(zoneWith([[dsOf(KEY)]], { trouble: 'no nameserver of example answered' }));
  assert.is(problem?.code, 'parent_unreachable');
  assert.match(problem?.message ?? '', /no nameserver of example answered\.$/);
});

test.run();
