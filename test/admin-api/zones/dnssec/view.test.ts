/** What responses show of a signed zone. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dnssecReply } from '../../../../admin-api/zones/dnssec/view.ts';
import { generateKeyPair } from '../../../../core/dns/dnssec/keys.ts';
import { startResigning } from '../../../../core/journal/signing/progress.ts';
import type { DnssecRow } from '../../../../core/store/rows.ts';
import { beginSigning } from '../../../../core/upkeep/signing/zone-lifecycle.ts';
import { newDomain } from '../../../core/journal/fixture.ts';

const DAY = 86_400;

test('the earliest expiry is that of names that wait to be signed again', () => {
  const domain = newDomain('signed.example.');
  const dnskey = Buffer.from(generateKeyPair(15).dnskey).toString('base64');
  const before: DnssecRow = {
    ...{ domainId: domain.id, algorithm: 15, clock: 1_800_000_000, foreign: [], parent: 'publish' },
    keys: [{ id: 1, dnskey, sealed: '', use: 'sign', isTrusted: true, createdAt: 0 }],
  };
  const { state } = beginSigning(before, DAY, before.clock);
  const expiryOf = (item: DnssecRow) => dnssecReply(domain, { row: item, state }).signatures.earliest_expiry;
  const row = { ...before, clock: before.clock + 20 * DAY };
  assert.is(expiryOf(before), '2027-02-05 08:00:00');
  assert.is(expiryOf(startResigning(before, row)), '2027-02-05 08:00:00');
  assert.is(expiryOf(row), '2027-02-25 08:00:00');
});

test.run();
