/** What is reported of the signatures of a primary. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { presignedState } from '../../../../core/upkeep/signing/presigned-state.ts';
import { newDomain, newRecord } from '../../journal/fixture.ts';

const NOW = 2 ** 31 + 1000;
const domain = newDomain('state.test.');
const at = (type: number, rdata: Uint8Array) => newRecord(domain, '@', type, rdata);
const parameters = (iterations: number) =>
  at(TYPE.NSEC3PARAM, Uint8Array.of(1, 0, iterations >> 8, iterations & 255, 0));

/** A signature that expires in so many seconds. */
function signature(left: number) {
  const rdata = Buffer.alloc(40);
  rdata.writeUInt32BE((NOW + left) >>> 0, 8);
  return at(TYPE.RRSIG, rdata);
}
const KEY = at(TYPE.DNSKEY, new Uint8Array(68));

test('a zone without keys or signatures is not signed', () => {
  assert.is(presignedState([KEY], NOW, 50), null);
  assert.is(presignedState([signature(5)], NOW, 50), null);
});

test('the first signature at the apex that expires counts', () => {
  const state = presignedState([signature(500), signature(90), KEY, parameters(10)], NOW, 50);
  assert.equal(state, { denial: 'nsec3', earliestExpiry: NOW + 90, problem: null });
  assert.match(presignedState([signature(-1), KEY, parameters(10)], NOW, 50)!.problem!, 'expired');
});

test('more iterations than are computed, and no chain at all, are problems', () => {
  const tooMany = presignedState([signature(90), KEY, parameters(501)], NOW, 50)!;
  assert.is(tooMany.denial, 'none');
  assert.match(tooMany.problem!, '501');
  assert.match(presignedState([signature(90), KEY], NOW, 50)!.problem!, 'neither');
  assert.is(presignedState([signature(90), KEY, at(TYPE.NSEC, new Uint8Array(9))], NOW, 50)!.problem, null);
});

test('a zone from before with more iterations than the limit has a problem, and its salt counts', () => {
  const { denial, problem } = presignedState([signature(90), KEY, parameters(51)], NOW, 50)!;
  assert.is(denial, 'nsec3');
  assert.match(problem!, 'as much as 51 additional iterations, and the limit is 50');
  const salted = at(TYPE.NSEC3PARAM, Uint8Array.of(1, 0, 0, 20, 255, ...new Uint8Array(255)));
  assert.match(presignedState([signature(90), KEY, salted], NOW, 50)!.problem!, 'as much as 104');
  assert.is(presignedState([signature(90), KEY, parameters(51)], NOW, 60)!.problem, null);
});

test.run();
