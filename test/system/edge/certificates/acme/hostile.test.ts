/**
 * A directory that errs or gives false answers, and domains that change hands in the middle of an
 * order: nothing of it is stored or served, and each has a sentence that its customer understands.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AcmeAccount,
  acmeAccounts,
  acmeChallenges,
  acmeOrders,
  automaticCertificates,
  type Domain,
  domains,
  proxies,
} from '../../../../../core/store/rows.ts';
import { newDomain, newProxy } from '../../../../core/journal/fixture.ts';
import { type Asked, type Front, type Reply, startFront, withJson } from '../../../../edge/certificates/acme/front.ts';
import { Rig } from '../../../../edge/certificates/acme/rig.ts';
import { certificate, ecKey } from '../../../../support/certificate.ts';
import { PATIENCE_MS } from '../../../../support/patience.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { type Directory, startDirectory } from '../../../peers/pebble.ts';

interface Context {
  rig: Rig;
  directory: Directory;
  front: Front;
}

const test = suite<Context>('directories that err, domains that change hands');

test.before(async (context) => {
  const rig = await Rig.open();
  const directory = await startDirectory(rig.dnsPort);
  Object.assign(context, { rig, directory, front: await startFront(directory) });
});
test.after.each(async ({ rig, front }) => {
  await rig.reset();
  front.reset();
});
test.after(async ({ rig, directory, front }) => {
  await front?.stop();
  await directory?.stop();
  await rig?.close();
});

/** Adds a domain, turns its proxy on, and waits until it has its certificate. */
async function issue(rig: Rig, apex: string, settings: Parameters<Rig['start']>[0]): Promise<void> {
  const domain = await rig.add(apex);
  const acme = rig.start(settings);
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  await rig.stop(acme);
}

const settingsOf = ({ url, authority }: Front) => ({ directory: url, caFile: authority });
const isNewOrder = ({ payload }: Asked): boolean => payload !== undefined && 'identifiers' in payload;
const isFinal = ({ payload }: Asked): boolean => payload !== undefined && 'csr' in payload;
const JSON_TYPE = { 'content-type': 'application/json' };
const html: Reply = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>We are back soon</h1>' };

/** The request for a certificate is one without a payload below this path, of pebble. */
const isDownload = ({ path, payload }: Asked): boolean => path.startsWith('/certZ/') && payload === undefined;

const foreign = (names: readonly string[], to: number): string =>
  certificate({ name: names[0], key: ecKey(), dnsNames: names, to });

/** What each does, to an order of the domain. */
const LIES: readonly [what: string, lie: (front: Front, apex: string) => void, error: RegExp][] = [
  [
    'a page in the place of the directory',
    (front) => {
      front.instead = ({ path }) => (path === '/dir' ? html : undefined);
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'a directory without URLs',
    (front) => {
      front.instead = ({ path }) => (path === '/dir' ? { status: 200, headers: JSON_TYPE, body: '{}' } : undefined);
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'a redirect to elsewhere',
    (front) => {
      const headers = { location: 'https://elsewhere.example/order' };
      front.instead = (request) => (isNewOrder(request) ? { status: 302, headers, body: '' } : undefined);
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'an order that is no URL',
    (front) => {
      front.change = (request, reply) =>
        isNewOrder(request) ? { ...reply, headers: { ...reply.headers, location: 'not a URL' } } : reply;
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'an order with thousands of authorizations',
    (front) => {
      front.change = (request, reply) =>
        isNewOrder(request)
          ? withJson(reply, (it) => ({ ...it, authorizations: new Array(10_000).fill('https://localhost:9/a') }))
          : reply;
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'an order without authorizations',
    (front) => {
      front.change = (request, reply) =>
        isNewOrder(request) ? withJson(reply, (it) => ({ ...it, authorizations: null })) : reply;
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'tokens that are none',
    (front) => {
      front.change = ({ path }, reply) =>
        path.startsWith('/authZ/')
          ? withJson(reply, (it) => ({
              ...it,
              challenges: (it.challenges as object[]).map((challenge) => ({
                ...challenge,
                token: '<script>alert(1)</script>',
              })),
            }))
          : reply;
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'an answer without end',
    (front) => {
      const body = JSON.stringify({ padding: 'x'.repeat(3 << 20) });
      front.instead = (request) => (isNewOrder(request) ? { status: 201, headers: JSON_TYPE, body } : undefined);
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'JSON that is none',
    (front) => {
      front.instead = (request) => (isNewOrder(request) ? { status: 201, headers: JSON_TYPE, body: '{' } : undefined);
    },
    /^The certificate authority is currently unreachable\./,
  ],
  [
    'a certificate for another key',
    (front, apex) => {
      front.change = (request, reply) =>
        isDownload(request) ? { ...reply, body: foreign([apex, `*.${apex}`], 90) } : reply;
    },
    /^The certificate authority issued an unusable certificate\. The order is retried\./,
  ],
  [
    'a certificate for other names',
    (front) => {
      front.change = (request, reply) =>
        isDownload(request) ? { ...reply, body: foreign(['other.example'], 90) } : reply;
    },
    /^The certificate authority issued an unusable certificate\./,
  ],
  [
    'a chain of hundreds',
    (front) => {
      front.change = (request, reply) => (isDownload(request) ? { ...reply, body: reply.body.repeat(200) } : reply);
    },
    /^The certificate authority issued an unusable certificate\./,
  ],
  [
    'no certificate',
    (front) => {
      front.change = (request, reply) => (isDownload(request) ? { ...reply, body: 'none' } : reply);
    },
    /^The certificate authority issued an unusable certificate\./,
  ],
  [
    'a fault with the details of its inside',
    (front) => {
      const body = JSON.stringify({
        type: 'urn:ietf:params:acme:error:serverInternal',
        detail: 'stack trace at 10.0.0.7:5432',
      });
      front.instead = (request) => (isFinal(request) ? { status: 500, headers: JSON_TYPE, body } : undefined);
    },
    /^The certificate authority reports an internal error\. The next attempt is at /,
  ],
];

for (const [i, [what, lie, error]] of LIES.entries())
  test(`${what}: the order fails, nothing is left, and the next one succeeds`, async ({ rig, front }) => {
    const apex = `lie-${i}.example.net`;
    const domain = await rig.add(apex);
    lie(front, apex);
    const acme = rig.start(settingsOf(front));
    const logged = rig.log.length;
    await rig.toggle(domain, true);
    const { sslStatus, sslError } = await rig.untilError(domain);
    assert.is(sslStatus, 'error');
    assert.match(sslError!, error);
    assert.not.match(sslError!, /localhost|127\.0\.0\.1|10\.0\.0\.7|undefined|TypeError/);
    assert.is(rig.store.reader.automaticCertificate(domain.id), undefined);
    assert.equal(rig.store.reader.acmeChallenges(domain.id), []);
    const order = rig.store.reader.acmeOrder(domain.id)!;
    assert.is(order.claim, null);
    assert.ok(order.retryAt! - order.triedAt >= 60, String(order.retryAt! - order.triedAt));
    await rig.untilIdle(acme);
    assert.not.match(rig.log.slice(logged).join(''), /"reason":"internal"|PRIVATE KEY/);
    // The same manager, which must not hold on to the earlier answer.
    front.reset();
    rig.ahead += 700;
    await rig.ask(domain);
    await rig.untilActive(domain);
    await rig.stop(acme);
  });

/** As the API takes a domain away. */
const drop = (rig: Rig, domain: Domain): Promise<unknown> =>
  rig.write((draft) => {
    draft.delete(proxies, draft.proxy(domain.id)!);
    const [automatic, order] = [draft.automaticCertificate(domain.id), draft.acmeOrder(domain.id)];
    if (automatic !== undefined) draft.delete(automaticCertificates, automatic);
    if (order !== undefined) draft.delete(acmeOrders, order);
    for (const challenge of draft.acmeChallenges(domain.id)) draft.delete(acmeChallenges, challenge);
    draft.delete(domains, domain);
  });

test('a domain that is deleted during an order and created by another account gets nothing of the first', async ({
  rig,
  front,
}) => {
  const apex = 'hands.example.net';
  const first = { ...newDomain(`${apex}.`), accountId: 10 };
  const second = { ...newDomain(`${apex}.`), accountId: 11 };
  const put = (domain: Domain): Promise<unknown> =>
    rig.write((draft) => {
      draft.put(domains, domain);
      draft.put(proxies, { ...newProxy(domain), sslStatus: 'pending', orderRequestedAt: rig.seconds() });
    });
  await put(first);
  let isTaken = false;
  rig.start(settingsOf(front), 'node-a', {
    // The moment at which the challenges of the first are there.
    async served() {
      if (isTaken) return;
      isTaken = true;
      await drop(rig, first);
      await put(second);
    },
  });
  while (rig.store.reader.proxy(second.id)?.sslStatus !== 'active') await sleep(10);
  assert.is(rig.store.reader.automaticCertificate(first.id), undefined);
  assert.is(rig.store.reader.acmeOrder(first.id), undefined);
  assert.equal(rig.store.reader.acmeChallenges(first.id), []);
  const { sealedKey } = rig.store.reader.automaticCertificate(second.id)!;
  // A key is sealed for one domain, so that not even a copied row is of use to another.
  const sealed = Buffer.from(sealedKey, 'base64');
  assert.throws(() => rig.secrets.unseal(sealed, `automatic-certificate:${first.id}`));
  assert.is(front.request.filter(isFinal).length, 1, 'the order of the first was not brought to its end');
});

test('turned on and off repeatedly: orders wait longer each time', async ({ rig, front }) => {
  const domain = await rig.add('restless.example.net');
  rig.start(settingsOf(front), 'node-a', {
    async served() {
      await rig.toggle(domain, false);
    },
  });
  const begun = (): number => front.request.filter(isNewOrder).length;
  // An hour in steps of ten seconds.
  for (let step = 0; step < 360; step++) {
    const before = begun();
    if (!rig.proxy(domain).enabled) await rig.toggle(domain, true);
    await sleep(3);
    if (begun() > before || rig.store.reader.acmeOrder(domain.id)?.claim) await untilOff(rig, domain);
    rig.ahead += 10;
    await rig.change(domain, (row) => ({ ...row, updatedAt: row.updatedAt + 1 }));
  }
  assert.ok(begun() >= 3 && begun() <= 12, `${begun()} orders in an hour`);
});

const untilOff = (rig: Rig, domain: Domain): Promise<unknown> =>
  rig.until(domain, ({ enabled }) => !enabled && (rig.store.reader.acmeOrder(domain.id)?.claim ?? null) === null);

test('nodes that never answer do not delay a stop', async ({ rig, front }) => {
  const domain = await rig.add('hanging.example.net');
  const acme = rig.start(settingsOf(front), 'node-a', { served: () => new Promise(() => {}) });
  await rig.toggle(domain, true);
  await rig.until(domain, () => rig.store.reader.acmeChallenges(domain.id).length > 0);
  const stopped = await Promise.race([
    rig.stop(acme).then(() => 'stopped'),
    sleep(PATIENCE_MS, 'hangs', { ref: false }),
  ]);
  assert.is(stopped, 'stopped');
  assert.equal(rig.store.reader.acmeChallenges(domain.id), []);
  assert.is(rig.store.reader.acmeOrder(domain.id)?.claim, null);
});

test('a present but silent node loses its turn to others, and gets it back when it responds', async ({
  rig,
  front,
}) => {
  const [first, second] = [await rig.add('unheard.example.net'), await rig.add('heard.example.net')];
  let isHeard = false;
  const left: unknown[] = [];
  rig.start({ ...settingsOf(front), concurrentOrders: 1 }, 'node-a', {
    patience: 300,
    served: (_sequence, signal) =>
      isHeard || rig.store.reader.acmeChallenges(first.id).length === 0
        ? Promise.resolve()
        : new Promise((done) =>
            signal.addEventListener('abort', () => {
              left.push(signal.reason);
              done();
            }),
          ),
  });
  await rig.toggle(first, true);
  await rig.until(first, () => rig.store.reader.acmeChallenges(first.id).length > 0);
  await rig.toggle(second, true);
  const { sslError } = await rig.until(first, ({ sslStatus }) => sslStatus === 'error');
  assert.match(sslError ?? '', /^One of our servers does not respond/);
  assert.is(left.length, 1, 'nothing waits for it any more');
  await rig.until(second, ({ sslStatus }) => sslStatus === 'active');
  isHeard = true;
  rig.ahead = 601;
  await rig.change(first, (row) => ({ ...row, updatedAt: row.updatedAt + 1 }));
  await rig.until(first, ({ sslStatus }) => sslStatus === 'active');
});

test('a node leaves during an order, and the proxy is turned off: another node cleans up', async ({ rig, front }) => {
  const domain = await rig.add('orphan.example.net');
  await rig.write((draft) => {
    draft.put(acmeOrders, {
      ...{ domainId: domain.id, claim: { node: 'node-b', until: rig.seconds() + 100 }, triedAt: rig.seconds() },
      ...{ failures: 0, retryAt: null, blockedUntil: null, renewAt: null, directory: null, issued: 0, issuedSince: 0 },
    });
    draft.put(acmeChallenges, { domainId: domain.id, type: 'dns-01', token: 't'.repeat(43), content: 'x'.repeat(43) });
    draft.put(proxies, { ...draft.proxy(domain.id)!, sslStatus: 'pending', orderRequestedAt: 1 });
  });
  const acme = rig.start(settingsOf(front));
  await sleep(100);
  assert.is(rig.store.reader.acmeChallenges(domain.id).length, 1, 'the other may live yet');
  rig.ahead = 101;
  await rig.change(domain, (row) => ({ ...row, updatedAt: 2 }));
  await rig.until(domain, ({ sslStatus }) => sslStatus === 'none');
  assert.equal(rig.store.reader.acmeChallenges(domain.id), []);
  assert.is(rig.store.reader.acmeOrder(domain.id)?.claim, null);
  await rig.stop(acme);
});

test('names in other scripts, and the longest name', async ({ rig, front }) => {
  const label = 'a'.repeat(63);
  rig.start(settingsOf(front));
  const long = `${label}.${label}.${label}.${'b'.repeat(20)}.example`;
  for (const apex of ['xn--bcher-kva.example.net', 'xn--fiqs8s.example.net', long]) {
    const domain = await rig.add(apex);
    await rig.toggle(domain, true);
    await rig.untilActive(domain);
    assert.ok(rig.store.reader.automaticCertificate(domain.id)!.names.includes(apex));
  }
});

test('a changed e-mail address is sent to the existing account, once; a refused one does not stop orders', async ({
  rig,
  front,
}) => {
  const describe = (): unknown[] =>
    front.request.flatMap(({ path, payload }) =>
      payload !== undefined && 'contact' in payload && !path.includes('sign-me-up') ? [payload.contact] : [],
    );
  const key = acmeAccounts.key({ directory: front.url, eabKid: null } as AcmeAccount);
  const row = () => rig.store.reader.row(acmeAccounts, key);
  const settings = settingsOf(front);
  await issue(rig, 'mail-0.example.net', settings);
  assert.equal(describe(), [], 'none is known, and none is wanted');
  await rig.write((draft) => {
    const { email: _, ...before } = draft.row(acmeAccounts, key)!;
    draft.put(acmeAccounts, before);
  });
  await issue(rig, 'mail-1.example.net', { ...settings, email: 'ops@example.net' });
  assert.equal(describe(), [['mailto:ops@example.net']], 'a row of before says nothing of it');
  assert.is(row()?.email, 'ops@example.net');
  await issue(rig, 'mail-2.example.net', { ...settings, email: 'ops@example.net' });
  assert.is(describe().length, 1, 'once');
  front.instead = ({ payload }) => {
    if (payload === undefined || !('contact' in payload)) return undefined;
    const problem = { type: 'urn:ietf:params:acme:error:invalidContact', detail: 'no such domain' };
    const headers = { 'content-type': 'application/problem+json', 'replay-nonce': 'none' };
    return { status: 400, headers, body: JSON.stringify(problem) };
  };
  await issue(rig, 'mail-3.example.net', { ...settings, email: 'gone@example.net' });
  assert.is(row()?.email, 'ops@example.net', 'what the directory has');
  assert.ok(rig.log.some((line) => line.includes('rejected acme.email')));
  front.reset();
  await issue(rig, 'mail-4.example.net', { ...settings, email: 'gone@example.net' });
  await issue(rig, 'mail-5.example.net', settings);
  assert.equal(describe(), [['mailto:gone@example.net'], []]);
  assert.is(row()?.email, null);
});

const why = whyNotPrograms('pebble');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: directories that err, domains that change hands, ${why}`);
