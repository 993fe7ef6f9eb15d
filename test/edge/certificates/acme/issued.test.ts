/** Which certificates of an authority are stored. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkIssued } from '../../../../edge/certificates/acme/obtain.ts';
import type { OrderFailure } from '../../../../edge/certificates/acme/problem.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';

const key = ecKey();
const NAMES = ['site.test'];
const issued = (features: readonly number[]) =>
  checkIssued(
    certificate({ name: 'site.test', key, dnsNames: NAMES, features }),
    pemOfKey(key),
    NAMES,
    Date.now() / 1000,
  );

test('must-staple is refused, since nothing is stapled (RFC 7633)', () => {
  assert.is(issued([]).leaf.subjectAltName, 'DNS:site.test');
  assert.throws(
    () => issued([5]),
    ({ code, detail }: OrderFailure) => code === 'bad_certificate' && /must-staple/.test(String(detail)),
  );
});

test.run();
