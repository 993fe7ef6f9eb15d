/** Which OCSP responses may be sent to clients (RFC 6960 section 3.2, RFC 5019). */

import { CertID, OCSPRequest, OCSPResponseStatus } from '@peculiar/asn1-ocsp';
import { AsnConvert } from '@peculiar/asn1-schema';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkStatus, RevokedError, readTarget, statusRequest } from '../../../../edge/certificates/ocsp/status.ts';
import { certificate, ecKey, type Issuer } from '../../../support/certificate.ts';
import { chainWith, delegate, issuerPem, type ResponseOptions, response, target } from './responder.ts';

const test = suite('edge/certificates/ocsp/status');
const HOUR = 3_600_000;
const now = Date.now();
const check = (options: ResponseOptions) => checkStatus(response(options), target, now);
const reasonOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

test('the request names the certificate by its issuer and its number', () => {
  const { tbsRequest } = AsnConvert.parse(statusRequest(target), OCSPRequest);
  assert.is(tbsRequest.requestList.length, 1);
  const { reqCert } = tbsRequest.requestList[0];
  const serial = BigInt(`0x${Buffer.from(reqCert.serialNumber).toString('hex')}`);
  assert.is(serial, BigInt(`0x${target.leaf.serialNumber}`));
  assert.is(target.responder.href, 'http://ocsp.test/path/');
});

test('a certificate without issuer or responder has no status', () => {
  const key = ecKey();
  const alone = certificate({ name: 'site.test', key, responder: 'http://ocsp.test' });
  assert.match(
    reasonOf(() => readTarget(alone)),
    /issuer/,
  );
  const stranger = certificate({ name: 'authority', key: ecKey(), ca: true });
  const [leaf] = chainWith('http://ocsp.test').split(/(?<=-----END CERTIFICATE-----\n)/);
  assert.match(
    reasonOf(() => readTarget(leaf + stranger)),
    /issuer/,
  );
  assert.match(
    reasonOf(() => readTarget(chainWith())),
    /no responder/,
  );
  for (const url of ['https://ocsp.test', 'ldap://ocsp.test', 'ocsp.test'])
    assert.match(
      reasonOf(() => readTarget(chainWith(url))),
      /no responder/,
      url,
    );
  assert.match(
    reasonOf(() => readTarget('')),
    /not PEM/,
  );
});

test('a good response by the issuer may be sent until its end', () => {
  const from = Math.floor(now / 1000) * 1000 - HOUR;
  const bytes = response({ from, to: from + 10 * HOUR });
  assert.equal(checkStatus(bytes, target, now), {
    response: bytes,
    refreshAt: from + 5 * HOUR,
    expiresAt: from + 10 * HOUR,
  });
});

test('so may one by a certificate that the issuer has issued for it', () => {
  const { key, pem } = delegate();
  assert.ok(check({ signer: key, certificates: [issuerPem, pem] }));
});

const other: Issuer = { name: 'other', key: ecKey() };
const twin: Issuer = { name: 'authority', key: ecKey() };
const delegates: readonly [string, Parameters<typeof delegate>[0]][] = [
  ['without the usage', { usage: ['1.3.6.1.5.5.7.3.1'] }],
  ['of another issuer', { by: other }],
  ['of an issuer with the same name', { by: twin }],
  ['that has expired', { from: -10, to: -1 }],
  ['of the future', { from: 1, to: 10 }],
];
for (const [what, options] of delegates)
  test(`not by a certificate ${what}`, () => {
    const { key, pem } = delegate(options);
    assert.match(
      reasonOf(() => check({ signer: key, certificates: [pem] })),
      /not signed/,
    );
  });

test('not by another key, nor with a changed byte', () => {
  assert.match(
    reasonOf(() => check({ signer: ecKey() })),
    /not signed/,
  );
  assert.match(
    reasonOf(() => check({ algorithm: '1.2.840.10045.4.1' })),
    /signature algorithm/,
  );
  const good = response();
  let accepted = 0;
  for (let at = 0; at < good.length; at++) {
    const changed = Uint8Array.from(good);
    changed[at] ^= 1;
    if (reasonOf(() => checkStatus(changed, target, now)) === '') accepted++;
  }
  assert.is(accepted, 0);
});

test('only "good" is sent', () => {
  assert.throws(
    () => check({ status: 'revoked' }),
    (error: Error) => error instanceof RevokedError,
  );
  assert.match(
    reasonOf(() => check({ status: 'unknown' })),
    /does not know/,
  );
  for (const outcome of [OCSPResponseStatus.tryLater, OCSPResponseStatus.unauthorized])
    assert.match(
      reasonOf(() => check({ outcome })),
      new RegExp(OCSPResponseStatus[outcome]),
    );
});

test('only for this certificate', () => {
  const changed = (change: Partial<CertID>): CertID => new CertID({ ...target.id, ...change });
  const second = new Uint8Array([1, 2, 3]).buffer;
  assert.match(
    reasonOf(() => check({ id: changed({ serialNumber: second }) })),
    /another certificate/,
  );
  const { issuerNameHash, issuerKeyHash } = target.id;
  assert.match(
    reasonOf(() => check({ id: changed({ issuerKeyHash: issuerNameHash }) })),
    /another certificate/,
  );
  assert.match(
    reasonOf(() => check({ id: changed({ issuerNameHash: issuerKeyHash }) })),
    /another certificate/,
  );
});

test('only within its time', () => {
  assert.match(
    reasonOf(() => check({ from: now - 10 * HOUR, to: now - 1000 })),
    /expired/,
  );
  assert.match(
    reasonOf(() => check({ from: now + HOUR })),
    /valid from/,
  );
  assert.match(
    reasonOf(() => check({ to: null })),
    /no end/,
  );
  assert.ok(check({ from: now + 60_000 }), 'clocks differ');
});

test('malformed bytes are rejected', () => {
  const good = response();
  for (const bytes of [new Uint8Array(0), new Uint8Array(100), Buffer.from('<html>'), good.subarray(0, -1)])
    assert.is.not(
      reasonOf(() => checkStatus(bytes, target, now)),
      '',
    );
});

test.run();
