/** The counts of sites that an edge thread sends. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CACHED_BYTES, cacheColumn, SENT_BYTES, statusColumn } from '../../../core/observe/statistics/columns.ts';
import { SiteCounts } from '../../../edge/gateway/site-counts.ts';
import type { Site } from '../../../edge/sites/site.ts';

const MAX_SITES = 4096;
const site = (id: number): Site => ({ domainId: String(id) }) as Site;

function open() {
  const messages: { counts: Float64Array; added: SharedArrayBuffer }[] = [];
  let lost = 0;
  const counts = new SiteCounts({
    send: (sent, added) => messages.push({ counts: sent, added }),
    onLost: (requests) => {
      lost += requests;
    },
  });
  return { counts, messages, lost: () => lost };
}

/** Domain id ─► column ─► count, over all messages. */
function totals(messages: readonly { counts: Float64Array }[]): Map<number, Map<number, number>> {
  const sites = new Map<number, Map<number, number>>();
  for (const { counts } of messages)
    for (let at = 0; at < counts.length; ) {
      const columns = sites.get(counts[at]) ?? new Map<number, number>();
      sites.set(counts[at], columns);
      const end = at + 2 + 2 * counts[at + 1];
      for (at += 2; at < end; at += 2) columns.set(counts[at], (columns.get(counts[at]) ?? 0) + counts[at + 1]);
    }
  return sites;
}

const test = suite('site counts');

test('requests by status and cache result, and bytes, are exact', () => {
  const { counts, messages, lost } = open();
  counts.count(site(1), 200, 'hit', 100);
  counts.count(site(2), 200, 'miss', 5000);
  counts.count(site(1), 200, 'miss', 100);
  counts.count(site(1), 404, 'miss', 10);
  counts.count(site(1), 304, 'revalidated', 0);
  counts.close();
  const sites = totals(messages);
  assert.equal(
    sites.get(1),
    new Map([
      [statusColumn(200), 2],
      [cacheColumn('hit'), 1],
      [cacheColumn('miss'), 2],
      [statusColumn(404), 1],
      [statusColumn(304), 1],
      [cacheColumn('revalidated'), 1],
      [SENT_BYTES, 210],
      [CACHED_BYTES, 100],
    ]),
  );
  assert.is(sites.get(2)?.get(SENT_BYTES), 5000);
  assert.is(lost(), 0);
});

test('a receiver that does not keep up bounds the memory, and what is lost is counted', () => {
  const { counts, messages, lost } = open();
  for (let id = 1; id <= 5 * MAX_SITES; id++) counts.count(site(id), 200, 'none', 1);
  assert.is(messages.length, 2);
  assert.is(lost(), 2 * MAX_SITES);
  Atomics.add(new Int32Array(messages[0].added), 0, 1);
  counts.count(site(6 * MAX_SITES), 200, 'none', 1);
  assert.is(messages.length, 3);
  counts.close();
  assert.is(totals(messages).size, 3 * MAX_SITES + 1);
});

test.run();
