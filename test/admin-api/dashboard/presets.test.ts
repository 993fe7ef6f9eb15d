/** Records of providers: without those that are there, and with one SPF record. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_EDITS, type StoredRecord, toBatch } from '../../../admin-api/dashboard/records/edits.ts';
import { applyPreset, PRESETS } from '../../../admin-api/dashboard/records/presets.ts';

const test = suite('templates of records');

const DOMAIN = 'example.net';
const presetOf = (id: string) => PRESETS.find((preset) => preset.id === id)!;
const stored = (...all: [type: string, content: string][]): StoredRecord[] =>
  all.map(([type, content], i) => ({ id: i + 1, name: '@', type, content, ttl: 1 }));
const lines = (records: readonly { name: string; type: string; content: string }[]): string[] =>
  records.map(({ name, type, content }) => `${name} ${type} ${content}`);

test('every mail provider has mail servers and SPF, and every verification its code', () => {
  assert.is(new Set(PRESETS.map(({ id }) => id)).size, PRESETS.length);
  for (const { title, kind, records } of PRESETS) {
    const types = new Set(records({}, DOMAIN).map(({ type }) => type));
    if (kind === 'mail') assert.ok(types.has('MX') && types.has('TXT'), title);
    else {
      assert.is(types.size, 0, title);
      assert.is(records({ code: ' abc ' }, DOMAIN).length, 1, title);
    }
  }
  assert.equal(lines(presetOf('googleSite').records({ code: 'google-site-verification=x' }, DOMAIN)), [
    '@ TXT "google-site-verification=x"',
  ]);
});

test('records that are there are not added again, and other mail servers are deleted', () => {
  const wanted = presetOf('icloud').records({ code: 'abc' }, DOMAIN);
  const { edits, added, deleted } = applyPreset(
    NO_EDITS,
    stored(['MX', '10 MX01.mail.icloud.com.'], ['MX', '10 other.example.']),
    wanted,
  );
  assert.equal(lines(deleted), ['@ MX 10 other.example.']);
  assert.equal(toBatch(edits).delete, [2]);
  assert.equal(lines(added), [
    '@ TXT "apple-domain=abc"',
    '@ MX 10 mx02.mail.icloud.com',
    '@ TXT "v=spf1 include:icloud.com ~all"',
    'sig1._domainkey CNAME sig1.dkim.example.net.at.icloudmailadmin.com',
  ]);
});

test('a second sender joins the SPF record that is there', () => {
  const wanted = presetOf('fastmail').records({}, DOMAIN);
  const first = applyPreset(NO_EDITS, stored(['TXT', '"v=spf1 a -all"']), wanted);
  assert.is(first.mergesSpf, true);
  const [put] = toBatch(first.edits).put;
  assert.is(put.content, '"v=spf1 include:spf.messagingengine.com a -all"');
  assert.is(
    first.added.some(({ type }) => type === 'TXT'),
    false,
  );
  const again = applyPreset(NO_EDITS, stored(['TXT', put.content]), wanted);
  assert.is(again.mergesSpf, false);
  assert.equal(toBatch(again.edits).put, []);
});

test.run();
