/** Which events the entries of the parts of the service have. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../../core/journal/draft/draft.ts';
import { ChangeWriter, type Entry, NO_HASH } from '../../../../core/journal/entry-codec.ts';
import { eventsOfEntry } from '../../../../core/observe/webhooks/entry-events.ts';
import { expiringCertificates } from '../../../../core/observe/webhooks/entry-reader.ts';
import { EVENT_CHOICES, EVENT_TYPES, formatBody, isChosen } from '../../../../core/observe/webhooks/payload.ts';
import {
  type AcmeOrder,
  type AutomaticCertificate,
  acmeOrders,
  automaticCertificates,
  type DnssecState,
  dnssecStates,
  furtherCertificates,
  type ProxyConfig,
  proxies,
  type Table,
  type Upload,
  uploads,
} from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { type Daemon, startDaemon } from '../../../admin-api/daemon.ts';

const test = suite<{ daemon: Daemon; domainId: number; accountId: number }>('core/observe/webhooks/entry-events');
test.before(async (context) => {
  context.daemon = await startDaemon();
  const { body } = await context.daemon.call('POST', '/api/v1/domains', { json: { domain: 'events.example.net' } });
  context.domainId = Number(body.domain.id);
  context.accountId = Number(body.domain.account_id);
});
test.after(({ daemon }) => daemon.stop());

const NOW = 1_800_000_000;

type Put = readonly [Table<never>, object];

function entryBy(by: string, ...puts: readonly Put[]): Entry {
  const changes = new ChangeWriter();
  for (const [table, row] of puts) changes.put(table.number, table.key(row as never), table.encode(row as never));
  return { sequence: 7, time: NOW * 1000, by, previousHash: NO_HASH, changes: changes.content };
}

function eventsOf(daemon: Daemon, entry: Entry, reported = new Map<number, string>()) {
  return eventsOfEntry(entry, new StoreReader(daemon.environment), () => true, reported);
}

const proxyRow = (domainId: number, more: Partial<ProxyConfig>): Put => [
  proxies as Table<never>,
  {
    ...{ domainId, enabled: true, originHost: '1.1.1.1', originPort: 443, originProtocol: 'https' },
    ...{ sslStatus: 'active', sslIssuedAt: null, sslExpiresAt: null, sslError: null, orderRequestedAt: null },
    ...{ createdAt: NOW, updatedAt: NOW, ...more },
  },
];

const orderRow = (domainId: number, claim: AcmeOrder['claim']): Put => [
  acmeOrders as Table<never>,
  { domainId, claim, triedAt: NOW, failures: 1, retryAt: null, blockedUntil: null, renewAt: null },
];

const certificateRow = (domainId: number, notAfter: number): AutomaticCertificate => ({
  ...{ domainId, chain: '', sealedKey: '', names: ['events.example.net'], notBefore: NOW, notAfter, createdAt: NOW },
});

test('certificates: issued, failed, or only an attempt that goes on', ({ daemon, domainId }) => {
  const claim = { node: 'a', until: NOW + 60 };
  const issued = eventsOf(
    daemon,
    entryBy(
      'acme',
      [automaticCertificates as Table<never>, certificateRow(domainId, NOW + 7_776_000)],
      orderRow(domainId, null),
      proxyRow(domainId, { sslError: 'a notice' }),
    ),
  );
  assert.equal(
    issued.map(({ type, domainId: id, data }) => [type, id, data.expires_at]),
    [['certificate.issued', domainId, '2027-04-15 08:00:00']],
  );
  const further: Put = [
    furtherCertificates as Table<never>,
    { ...certificateRow(domainId, NOW + 7_776_000), slot: 1, renewAt: NOW, directory: null },
  ];
  assert.equal(
    eventsOf(daemon, entryBy('acme', further, orderRow(domainId, null))).map(({ type }) => type),
    ['certificate.issued'],
  );
  assert.equal(eventsOf(daemon, entryBy('acme', further)), [], 'only its renewal time has changed');
  const failed = entryBy('acme', orderRow(domainId, null), proxyRow(domainId, { sslStatus: 'error', sslError: 'why' }));
  assert.equal(
    eventsOf(daemon, failed).map(({ type, data }) => [type, data.error]),
    [['certificate.failed', 'why']],
  );
  const claimed = entryBy(
    'acme',
    orderRow(domainId, claim),
    proxyRow(domainId, { sslStatus: 'error', sslError: 'why' }),
  );
  assert.equal(eventsOf(daemon, claimed), []);
  assert.equal(
    eventsOf(daemon, entryBy('1', proxyRow(domainId, {}))).map(({ type }) => type),
    ['proxy.changed'],
  );
  assert.equal(eventsOf(daemon, entryBy('rotation', proxyRow(domainId, {}))), []);
});

test('DNSSEC: a phase and a problem are reported once', ({ daemon, domainId }) => {
  const state = (more: Partial<DnssecState> & { hasProblem?: boolean }): Put => [
    dnssecStates as Table<never>,
    { domainId, phase: 'signing', since: NOW, dueAt: 0, hasProblem: false, ...more },
  ];
  const reported = new Map<number, string>();
  const typesOf = (...more: Parameters<typeof state>): string[] =>
    eventsOf(daemon, entryBy('dnssec', state(...more)), reported).map(({ type }) => type);
  assert.equal(typesOf({}), ['dnssec.phase']);
  assert.equal(typesOf({ servedSince: NOW }), []);
  assert.equal(typesOf({ hasProblem: true }), ['dnssec.problem']);
  assert.equal(typesOf({ hasProblem: true, trouble: 'x' }), []);
  assert.equal(typesOf({ phase: 'secure', since: NOW - 9000 }), [], 'an old phase of another node');
});

test('a package has an event for each verdict, and none while it waits', ({ daemon, accountId }) => {
  const upload = (state: Upload['state']): Put => [
    uploads as Table<never>,
    { id: 3, accountId, appId: 'com.example.app', version: '1', state, history: [], summary: null, createdAt: NOW },
  ];
  assert.equal(eventsOf(daemon, entryBy('audit', upload('scanning'))), []);
  const [verdict] = eventsOf(daemon, entryBy('audit', upload('rejected')));
  assert.equal([verdict.type, verdict.data.state, verdict.data.id], ['audit.verdict', 'rejected', 3]);
});

test('a certificate is reported when it passes 14, 7 and 1 days', async ({ daemon, domainId, accountId }) => {
  const { environment, journal } = daemon;
  const day = 86_400;
  await write(environment, journal, 'acme', (draft) => {
    draft.put(automaticCertificates, certificateRow(domainId, NOW + 20 * day));
    const further = certificateRow(domainId, NOW + 18 * day);
    draft.put(furtherCertificates, { ...further, slot: 1, renewAt: NOW, directory: null });
  });
  const days: number[] = [];
  for (let now = NOW; now < NOW + 21 * day; now += 3600)
    for (const { data } of await expiringCertificates(new StoreReader(environment), accountId, now - 3600, now))
      days.push(Number(data.days_left));
  assert.equal(days, [14, 14, 7, 7, 1, 1]);
});

test('choices: a type, its kind, or all', () => {
  assert.ok(isChosen('records.changed', ['records.*']) && isChosen('audit.entry', ['*']));
  assert.not.ok(isChosen('records.changed', ['dnssec.*', 'domain.created']));
  for (const type of EVENT_TYPES) assert.ok(EVENT_CHOICES.includes(type));
});

test('a body that is too large loses its details', () => {
  const event = { type: 'audit.entry', accountId: 1, domainId: null, sequence: 7, time: NOW * 1000 } as const;
  const large = formatBody({ ...event, data: { seq: 7, kind: 'audit', id: 7, detail: 'x'.repeat(40_000) } });
  assert.equal(JSON.parse(large).data, { seq: 7, kind: 'audit', id: 7, is_shortened: true });
});

test.run();
