/** Rules that demand a client certificate, and what the origin learns of it. */
import { X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CertificateRule } from '../../../../core/site/rules/index.ts';
import { ecKey, certificate as issue } from '../../../support/certificate.ts';
import { withRules } from '../rules/rig.ts';

const test = suite('rules that demand a client certificate');

const parsed = new X509Certificate(issue({ name: 'Ann', key: ecKey(), dnsNames: ['ann.test', 'a.test'] }));
const certificate = `:${parsed.raw.toString('base64')}:`;
const fingerprint = parsed.fingerprint256.replaceAll(':', '').toLowerCase();
const COPIED: CertificateRule = {
  copy_fields: (['subject', 'serial', 'fingerprint', 'names'] as const).map((field) => ({
    field,
    header: `X-${field}`,
  })),
};

const statusOf = async (rule: CertificateRule, given: string | undefined, trusts = false): Promise<number> => {
  let status = 0;
  await withRules(
    [{ action: { type: 'authenticate', certificate: rule } }],
    async ({ get }) => {
      ({ status } = await get('/', { certificate: given, headers: ['client-cert', certificate] }));
    },
    { trusts: () => trusts },
  );
  return status;
};

test('only a visitor with a certificate passes, which a proxy in front cannot lend', async () => {
  assert.is(await statusOf({}, certificate), 200);
  assert.is(await statusOf({}, undefined), 403);
  assert.is(await statusOf({}, certificate, true), 403);
});

test('fingerprints select certificates, in either form', async () => {
  assert.is(await statusOf({ allowed_fingerprints: ['00'.repeat(32), fingerprint] }, certificate), 200);
  assert.is(await statusOf({ allowed_fingerprints: [parsed.fingerprint256] }, certificate), 200);
  assert.is(await statusOf({ allowed_fingerprints: ['00'.repeat(32)] }, certificate), 403);
});

test('fields of the certificate replace headers of the visitor', () =>
  withRules([{ action: { type: 'authenticate', certificate: COPIED } }], async ({ get, origin }) => {
    await get('/', { certificate, headers: ['x-subject', 'CN=Root', 'x_subject', 'CN=Root', 'x-names', 'DNS:root'] });
    const { headers } = origin.last.request;
    const named = headers.filter((_, i) => /^x.(?:subject|serial|fingerprint|names)$/.test(headers[i & ~1]));
    assert.equal(named, [
      ...['x-subject', 'CN=Ann', 'x-serial', parsed.serialNumber.toLowerCase()],
      ...['x-fingerprint', fingerprint, 'x-names', 'DNS:ann.test, DNS:a.test'],
    ]);
  }));

test.run();
