/**
 * `npm run bench:catalog -- [--quick] [--members N]`: catalog zones with many members, in
 * this process: all become domains, one more comes, and a catalog that lists them is transferred.
 * For each, the longest time in which the event loop did nothing else.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createLogger } from '../core/base/log/index.ts';
import { Registry } from '../core/base/metrics/index.ts';
import { SINGLE_NODE, Tasks } from '../core/base/tasks.ts';
import { parseRdata } from '../core/dns/wire/rdata/index.ts';
import { TYPE } from '../core/dns/wire/types.ts';
import { type Draft, write } from '../core/journal/draft/draft.ts';
import { accounts, type Domain, domains, type RecordRow, records } from '../core/store/rows.ts';
import { CatalogConsumer } from '../core/upkeep/catalog/consumer.ts';
import { DEFAULTS, newAccount, newDomain, newRecord } from '../test/core/journal/fixture.ts';
import { withTransfers } from '../test/core/nameserver/transfer/fixture.ts';
import { admissionOf } from '../test/support/admission.ts';
import { transferRequest } from '../test/support/transfer-client.ts';
import { COMMON, readOptions } from './options.ts';

const options = readOptions({
  command: 'npm run bench:catalog --',
  about: 'Catalog zones with many members: the longest stop of the event loop.',
  options: { quick: COMMON.quick, members: { kind: 'number', help: 'domains of the catalog' } },
});
const MEMBERS = options.members ?? (options.quick ? 5000 : 100_000);
/** Records of a commit. */
const PIECE = 1000;

async function measure(title: string, work: () => Promise<void>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const begin = performance.now();
  delay.enable();
  await work();
  delay.disable();
  const ms = (nanoseconds: number): string => (nanoseconds / 1e6).toFixed(1);
  const seconds = ((performance.now() - begin) / 1000).toFixed(2);
  console.log(`${title}: ${seconds} s; longest stop ${ms(delay.max)} ms, p99 ${ms(delay.percentile(99))} ms`);
}

await withTransfers(async ({ store, answer }) => {
  const { environment, journal } = store;
  const account = newAccount();
  const primaries = [{ address: '192.0.2.1', port: 53, tsigKeyId: null, tls: null }];
  const consumed: Domain = {
    ...newDomain('consumed.catalog.test.'),
    ...{ accountId: account.id, kind: 'secondary', primaries, consumes: true },
  };
  const produced: Domain = {
    ...newDomain('produced.catalog.test.'),
    ...{ accountId: account.id, kind: 'catalog', members: 'all' },
  };
  const member = (n: number): RecordRow =>
    newRecord(consumed, `m${n}.zones`, TYPE.PTR, parseRdata(TYPE.PTR, `zone${n}.test.`));
  const commit = (work: (draft: Draft) => void) => write(environment, journal, 'bench', work);
  await commit((draft) => {
    draft.put(accounts, account);
    draft.put(domains, consumed);
    draft.put(domains, produced);
    draft.put(records, newRecord(consumed, 'version', TYPE.TXT, parseRdata(TYPE.TXT, '"2"')));
  });
  for (let n = 0; n < MEMBERS; n += PIECE)
    await commit((draft) => {
      for (let i = n; i < Math.min(n + PIECE, MEMBERS); i++) draft.put(records, member(i));
    });
  const consumer = new CatalogConsumer({
    ...{ environment, journal, zoneSettings: DEFAULTS },
    ...{ tasks: new Tasks({ metrics: new Registry(), ownership: SINGLE_NODE }), admission: admissionOf({}) },
    log: createLogger({ level: 'error', format: 'text', write: () => {} }),
  });
  await measure(`${MEMBERS} members become domains`, () => consumer.pass());
  await commit((draft) => draft.put(records, member(MEMBERS)));
  await measure('one more member', () => consumer.pass());
  await measure('AXFR of a catalog that lists them', async () => {
    const message = transferRequest('produced.catalog.test.');
    const cancelled = new AbortController().signal;
    const request = { message, address: '127.0.0.1', port: 53, transport: 'tcp', cancelled } as const;
    for await (const _ of answer(request)) await yieldToOthers();
  });
});
