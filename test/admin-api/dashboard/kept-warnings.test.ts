/** Warnings of a change stay on the page of the proxy. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProxyView } from '../../../admin-api/dashboard/api/views.ts';
import { KeptWarnings } from '../../../admin-api/dashboard/proxy/kept-warnings.ts';
import { NO_CERTIFICATE } from '../sites/proxy/no-certificate.ts';

const proxy = (issuedAt: string, ...warnings: readonly string[]): ProxyView => {
  const view = { is_enabled: 1, origin_host: '', warnings } as unknown as ProxyView;
  return { ...view, certificate: { ...NO_CERTIFICATE, source: 'uploaded', issued_at: issuedAt } };
};

test('they stay when the page is read again, until the certificate is another', () => {
  const kept = new KeptWarnings();
  assert.equal(kept.addTo(proxy('a', 'exposed')).warnings, ['exposed']);
  kept.keep(proxy('b', 'self-signed', 'exposed'));
  assert.equal(kept.addTo(proxy('b', 'exposed')).warnings, ['self-signed', 'exposed']);
  assert.equal(kept.addTo(proxy('b')).warnings, ['self-signed'], 'what was read as well has ended');
  assert.equal(kept.addTo(proxy('c')).warnings, []);
  assert.equal(kept.addTo(proxy('b')).warnings, []);
});

test('the next change replaces them', () => {
  const kept = new KeptWarnings();
  kept.keep(proxy('b', 'self-signed'));
  kept.keep(proxy('b', 'no origin'));
  assert.equal(kept.addTo(proxy('b')).warnings, ['no origin']);
});

test.run();
