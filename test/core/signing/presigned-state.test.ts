/** What is reported of the signatures of a primary. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { presignedState } from '../../../core/signing/presigned-state.ts';
import { TYPE } from '../../../core/wire/types.ts';
import { newDomain, newRecord } from '../journal/fixture.ts';

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
  assert.is(presignedState([KEY], NOW), null);
  assert.is(presignedState([signature(5)], NOW), null);
});

test('the first signature at the apex that expires counts', () => {
  const state = presignedState([signature(500), signature(90), KEY, parameters(10)], NOW);
  assert.equal(state, { denial: 'nsec3', earliestExpiry: NOW + 90, problem: null });
  assert.match(presignedState([signature(-1), KEY, parameters(10)], NOW)!.problem!, 'expired');
});

test('more iterations than are computed, and no chain at all, are problems', () => {
  const tooMany = presignedState([signature(90), KEY, parameters(501)], NOW)!;
  assert.is(tooMany.denial, 'none');
  assert.match(tooMany.problem!, '501');
  assert.match(presignedState([signature(90), KEY], NOW)!.problem!, 'neither');
  assert.is(presignedState([signature(90), KEY, at(TYPE.NSEC, new Uint8Array(9))], NOW)!.problem, null);
});

test.run();
