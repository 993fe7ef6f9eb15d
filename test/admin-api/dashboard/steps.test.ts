/** Certificates and signed zones as steps in words. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DnssecView, ProxyView } from '../../../admin-api/dashboard/api/views.ts';
import { dnssecSteps, mayCancel, mayRoll } from '../../../admin-api/dashboard/dnssec/dnssec-steps.ts';
import { certificateSteps } from '../../../admin-api/dashboard/proxy/certificate-steps.ts';
import { NO_CERTIFICATE } from '../sites/proxy/no-certificate.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

const ISSUED: Partial<ProxyView['certificate']> = {
  source: 'automatic',
  issuer: 'Pebble',
  issued_at: '2026-05-01 00:00:00',
  expires_at: '2026-07-30 00:00:00',
  renews_at: '2026-06-30 00:00:00',
};

function proxy(certificate: Partial<ProxyView['certificate']>, more: Partial<ProxyView> = {}): ProxyView {
  const view = { is_enabled: 1, ssl_status: 'none', ssl_error: null, ...more } as unknown as ProxyView;
  return { ...view, certificate: { ...NO_CERTIFICATE, ...certificate } };
}

/** State, text, time and detail of each step, on a line. */
const lines = (view: ProxyView): string[] =>
  certificateSteps(view, NOW).map(({ state, text, at, detail }) =>
    [state, text, ...(at === undefined ? [] : [`(${at})`]), ...(detail === undefined ? [] : [`- ${detail}`])].join(' '),
  );

test('the first certificate: off, requested, checked, failed, issued', () => {
  const off = proxy({}, { is_enabled: 0 });
  assert.equal(lines(off), [
    'next There is no certificate - Nothing is ordered while the proxy is off. Turn it on, and a certificate is ordered at once.',
  ]);
  const requested = proxy({ requested_at: '2026-05-31 23:59:58' }, { ssl_status: 'pending' });
  assert.equal(lines(requested), [
    'done A certificate was requested (2026-05-31 23:59:58)',
    'now The order waits for its turn. It usually begins within seconds.',
  ]);
  const checked = proxy(
    {
      requested_at: '2026-05-31 23:59:58',
      attempted_at: '2026-05-31 23:59:59',
      is_ordering: true,
      challenges: ['dns-01'],
    },
    { ssl_status: 'pending' },
  );
  assert.equal(lines(checked), [
    'done A certificate was requested (2026-05-31 23:59:58)',
    'now A node is ordering the certificate (2026-05-31 23:59:59) - The certificate authority is checking a record that the service has put into your zone (dns-01).',
  ]);
  const failed = proxy(
    { attempted_at: '2026-05-31 23:59:59', failures: 2, next_attempt_at: '2026-06-01 00:02:00' },
    { ssl_status: 'error', ssl_error: 'The domain is not delegated.' },
  );
  assert.equal(lines(failed), [
    'failed 2 attempts in a row failed (2026-05-31 23:59:59) - The domain is not delegated.',
    'next The next attempt begins (2026-06-01 00:02:00)',
  ]);
  const refused = proxy({}, { ssl_status: 'error', ssl_error: 'Ask the operator.' });
  assert.equal(lines(refused), ['failed No certificate is ordered - Ask the operator.']);
  const issued = proxy(ISSUED, { ssl_status: 'active' });
  assert.equal(lines(issued), [
    'done Issued by Pebble (2026-05-01 00:00:00)',
    'next Its renewal begins (2026-06-30 00:00:00)',
    'next It expires; until then it is served (2026-07-30 00:00:00)',
  ]);
});

test('a failed renewal, an expired certificate, and one that covers only some names', () => {
  const renewal = proxy(
    { ...ISSUED, attempted_at: '2026-05-31 00:00:00', failures: 1, next_attempt_at: '2026-06-01 06:00:00' },
    { ssl_status: 'active', ssl_error: 'CAA forbids it.' },
  );
  assert.equal(lines(renewal), [
    'done Issued by Pebble (2026-05-01 00:00:00)',
    'failed The last attempt failed (2026-05-31 00:00:00) - CAA forbids it.',
    'next The next attempt begins (2026-06-01 06:00:00)',
    'next It expires; until then it is served (2026-07-30 00:00:00)',
  ]);
  const expired = proxy({ ...ISSUED, expires_at: '2026-05-31 00:00:00' }, { ssl_status: 'error' });
  assert.is(lines(expired).at(-1), 'failed It has expired (2026-05-31 00:00:00)');
  const partial = proxy(ISSUED, { ssl_status: 'active', ssl_error: 'It covers only a.test.' });
  assert.is(lines(partial)[1], 'failed The certificate does not cover everything - It covers only a.test.');
});

test('an uploaded certificate is not renewed', () => {
  const uploaded = { ...ISSUED, source: 'uploaded' as const, renews_at: null };
  assert.equal(lines(proxy(uploaded, { ssl_status: 'active' })), [
    'done You uploaded this certificate (2026-05-01 00:00:00) - Issued by Pebble',
    'next It expires. Upload a new one before: it is not renewed automatically (2026-07-30 00:00:00)',
  ]);
  const [, past] = lines(proxy({ ...uploaded, expires_at: '2026-06-01 00:00:00' }, { ssl_status: 'active' }));
  assert.is(past, 'failed It has expired (2026-06-01 00:00:00)');
});

const zone = (status: DnssecView['status'], more: Partial<DnssecView> = {}): DnssecView =>
  ({ status, keys: [], next_step: 'Do this.', next_at: null, ...more }) as unknown as DnssecView;

test('what a zone goes through: signing, replacing the key, and the end', () => {
  const states = (view: DnssecView): string =>
    dnssecSteps(view)
      .map(({ state }) => state)
      .join(' ');
  assert.is(states(zone('signing')), 'now next next');
  assert.is(states(zone('awaiting_ds')), 'done now next');
  assert.is(states(zone('secure')), '');
  assert.is(states(zone('off')), '');
  assert.is(states(zone('rolling_publish')), 'now next next next next');
  assert.is(states(zone('retire')), 'done done done now next');
  assert.is(states(zone('removing_ds')), 'now next');
  const keys = [{ algorithm: 13 }, { algorithm: 15 }] as unknown as DnssecView['keys'];
  assert.is(states(zone('rolling_sign', { keys })), 'now next next next next next');
  assert.is(states(zone('rolling_withdraw', { keys })), 'done done done now next next');
  assert.is(states(zone('rolling_ds', { keys })), 'done done now next next next');
  const last = dnssecSteps(zone('rolling_resign', { keys })).at(-2)!;
  assert.equal([last.state, last.text], ['now', 'Remove the signatures of the old algorithm']);
  const [, current] = dnssecSteps(zone('awaiting_ds', { next_at: '2026-06-01 00:00:00' }));
  assert.equal([current.detail, current.until], ['Do this.', '2026-06-01 00:00:00']);
  assert.equal(
    (['secure', 'awaiting_ds', 'signing', 'retire'] as const).map((status) => mayRoll(zone(status))),
    [true, true, false, false],
  );
  assert.equal(
    (['rolling_sign', 'rolling_publish', 'rolling_ds', 'rolling_withdraw', 'rolling_resign', 'retire'] as const).map(
      (status) => mayCancel(zone(status)),
    ),
    [true, true, true, false, false, false],
  );
});

test.run();
