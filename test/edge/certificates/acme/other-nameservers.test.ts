/** The wait for secondaries before a validation, with servers on loopback. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import type { NotifyTarget } from '../../../../core/config/index.ts';
import { ALSO_NOTIFY } from '../../../../core/store/rows.ts';
import { OtherNameservers } from '../../../../edge/certificates/acme/other-nameservers.ts';
import { OrderFailure } from '../../../../edge/certificates/acme/problem.ts';
import { newDomain } from '../../../core/journal/fixture.ts';
import { AA, FakeServer, type Reply } from '../../../support/fake-dns.ts';
import { freePort } from '../../../support/ports.ts';
import { until, untilMatches } from '../../../support/until.ts';
import { DELEGATED } from './rig.ts';

const test = suite('certificates, other nameservers');

const NXDOMAIN = 3;
const REFUSED = 5;
const CONTENT = 'x'.repeat(43);
const DEEP = '_acme-challenge.www.shop.example.net';

const serving = (name: string): Reply => ({ answers: [{ type: 'TXT', name, data: [CONTENT] }] });
const BEHIND: Reply = { flags: AA | NXDOMAIN };

interface Options {
  /** Addresses of the nameservers, by host name. */
  readonly hosts?: Readonly<Record<string, readonly string[]>>;
  readonly common?: readonly Pick<NotifyTarget, 'address' | 'port'>[];
  /** Secondaries of the zone itself. */
  readonly own?: readonly string[];
  readonly failures?: number;
  /** The time of the order passes once a server is behind. */
  readonly isHasty?: boolean;
  readonly signal?: AbortSignal;
  readonly type?: 'dns-01' | 'http-01';
}

function wait(options: Options): { readonly done: Promise<void>; log(): string } {
  const { hosts = {}, common = [], own = [], failures = 0, isHasty = false, type = 'dns-01' } = options;
  const lines: string[] = [];
  const limit = new AbortController();
  const write = (line: string): void => {
    lines.push(line);
    if (isHasty) limit.abort(new Error('too late'));
  };
  const others = new OtherNameservers({
    reader: { zoneLabels: (domainId) => ({ domainId, kind: '', metadata: { [ALSO_NOTIFY]: own } }) as never },
    zoneSettings: { cluster: { ipv4: ['198.51.100.1'], ipv6: [] } },
    notified: common.map((target) => ({ ...target, family: 4, key: null })),
    dns: { ...DELEGATED, addresses: async (host) => hosts[host] ?? [] },
    log: createLogger({ level: 'info', format: 'text', write }),
    limit: () => limit.signal,
  });
  const done = others.untilServed({
    domain: newDomain('example.net.'),
    hosts: Object.keys(hosts),
    challenges: [{ type, token: 't', content: CONTENT, ...(type === 'dns-01' && { name: 'www.shop.example.net' }) }],
    failures,
    signal: options.signal ?? new AbortController().signal,
  });
  return { done, log: () => lines.join('') };
}

async function withServer(
  address: string,
  handler: (name: string) => Reply | null,
  work: (port: number, server: FakeServer) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const server = new FakeServer((name) => handler(name));
  await server.listen(address, port);
  try {
    await work(port, server);
  } finally {
    await server.close();
  }
}

const errorOf = (done: Promise<void>): Promise<unknown> =>
  done.then(
    () => null,
    (error: unknown) => error,
  );

for (const [place, options] of [
  ['of transfer.notify', (port: number) => ({ common: [{ address: '127.0.0.2', port }] })],
  ['of the zone alone', (port: number) => ({ own: [`127.0.0.2:${port}`] })],
  [
    'in the NS records, whose private address gets NOTIFY',
    (port: number) => ({ hosts: { 'ns2.example.net': ['127.0.0.2'] }, common: [{ address: '127.0.0.2', port }] }),
  ],
] as const)
  test(`a secondary ${place} is asked until it serves the challenge`, async () => {
    let isTransferred = false;
    const handler = (name: string): Reply => (isTransferred && name === DEEP ? serving(name) : BEHIND);
    await withServer('127.0.0.2', handler, async (port, server) => {
      const { done, log } = wait(options(port));
      let isDone = false;
      void done.then(() => {
        isDone = true;
      });
      await untilMatches(log, new RegExp(`waiting for a nameserver .*127\\.0\\.0\\.2 port ${port}`));
      await until(() => server.queries.length > 1, 'a second query');
      assert.not(isDone);
      isTransferred = true;
      await done;
      assert.is(log().match(/waiting for a nameserver/g)?.length, 1, 'logged once');
    });
  });

test('a server that does not serve the zone, or does not respond, is not waited for', () =>
  withServer(
    '127.0.0.2',
    () => ({ flags: REFUSED }),
    async (port, server) => {
      const closed = await freePort();
      await wait({
        common: [
          { address: '127.0.0.2', port },
          { address: '127.0.0.2', port: closed },
        ],
      }).done;
      assert.ok(server.queries.length > 1);
    },
  ));

test('another record at the name, and an answer from a cache, are not the challenge', async () => {
  const replies: Reply[] = [
    { answers: [{ type: 'TXT', name: DEEP, data: ['other'] }] },
    { answers: [{ type: 'TXT', name: DEEP, data: [CONTENT] }], flags: 0 },
    serving(DEEP),
  ];
  await withServer(
    '127.0.0.2',
    () => (replies.length > 1 ? replies.shift()! : replies[0]),
    async (port, server) => {
      await wait({ common: [{ address: '127.0.0.2', port }] }).done;
      assert.ok(server.queries.length > 2);
    },
  );
});

test('a nameserver that stays behind fails the order, with the next step', () =>
  withServer(
    '127.0.0.2',
    () => BEHIND,
    async (port) => {
      const hosts = { 'ns2.example.net': ['127.0.0.2'] };
      const common = [{ address: '127.0.0.2', port }];
      const failure = await errorOf(wait({ hosts, common, isHasty: true }).done);
      assert.instance(failure, OrderFailure);
      const { code, message, detail, fault } = failure as OrderFailure;
      assert.equal([code, fault], ['not_transferred', 'domain']);
      assert.match(message, /^ns2\.example\.net did not serve .*_acme-challenge\.www\.shop\.example\.net/);
      assert.match(message, /Check that it gets NOTIFY from this service and may transfer the zone/);
      assert.not.match(message, /127\./, 'customers do not learn addresses of secondaries');
      assert.is(detail, `still without the record: ns2.example.net (127.0.0.2 port ${port})`);
      const later = wait({ hosts, common, isHasty: true, failures: 3 });
      await later.done;
      assert.match(later.log(), /has not transferred the challenge; validating without it/);
    },
  ));

test('a secondary that no NS record names delays the validation, and does not prevent it', () =>
  withServer(
    '127.0.0.2',
    () => BEHIND,
    async (port) => {
      const { done, log } = wait({ common: [{ address: '127.0.0.2', port }], isHasty: true });
      await done;
      assert.match(log(), new RegExp(`validating without it.*127\\.0\\.0\\.2 port ${port}`));
    },
  ));

test('private addresses of nameservers and addresses of this service are not asked', async () => {
  const { done, log } = wait({
    hosts: {
      'ns1.example.net': ['198.51.100.1'],
      'ns2.example.net': ['127.0.0.2', '10.0.0.1', 'fe80::1', '::ffff:127.0.0.1', '169.254.169.254'],
    },
  });
  await done;
  assert.is(log(), '');
});

test('http-01 needs no record, so nothing is asked', () =>
  withServer(
    '127.0.0.2',
    () => BEHIND,
    async (port, server) => {
      await wait({ common: [{ address: '127.0.0.2', port }], type: 'http-01' }).done;
      assert.equal(server.queries, []);
    },
  ));

test('a cancelled order ends the wait with its reason', () =>
  withServer(
    '127.0.0.2',
    () => BEHIND,
    async (port) => {
      const stop = new AbortController();
      const { done, log } = wait({ common: [{ address: '127.0.0.2', port }], signal: stop.signal });
      await untilMatches(log, /waiting for a nameserver/);
      stop.abort(new Error('no longer needed'));
      assert.is(((await errorOf(done)) as Error).message, 'no longer needed');
    },
  ));

test.run();
