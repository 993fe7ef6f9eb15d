/**
 * Renewal information (RFC 9773) and limits of rate, from a directory in front of pebble, which
 * knows neither.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificateId } from '../../../../../edge/certificates/acme/ari.ts';
import { certificatesOf, situationOf } from '../../../../../edge/certificates/acme/situation.ts';
import { addressRecord } from '../../../../core/journal/fixture.ts';
import { type Asked, type Front, type Reply, startFront, withJson } from '../../../../edge/certificates/acme/front.ts';
import { Rig } from '../../../../edge/certificates/acme/rig.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { type Directory, startDirectory } from '../../../peers/pebble.ts';

interface Context {
  rig: Rig;
  directory: Directory;
  front: Front;
}

const test = suite<Context>('renewal information and limits of rate');
const DAY = 86_400;

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

const settingsOf = ({ url, authority }: Front) => ({ directory: url, caFile: authority });
const idOf = (rig: Rig, id: number): string | null =>
  certificateId(rig.store.reader.automaticCertificate(id)?.chain ?? '');

/**
 * Adds renewalInfo to the directory; `answer` gives its windows, seconds from now. pebble does not
 * know `replaces`, and passes over it.
 */
function offerRenewal(front: Front, answer: (certificate: string) => Reply): void {
  front.change = ({ path }, reply) =>
    path === '/dir'
      ? withJson(reply, (it) => ({ ...it, renewalInfo: front.url.replace('/dir', '/renewal-info') }))
      : reply;
  front.instead = ({ path }) => (path.startsWith('/renewal-info/') ? answer(path.split('/')[2]) : undefined);
}

function windowOf(from: number, to: number, retryAfter: number, ahead = 0): Reply {
  const at = (seconds: number): string => new Date(Date.now() + (ahead + seconds) * 1000).toISOString();
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'retry-after': String(retryAfter) },
    body: JSON.stringify({ suggestedWindow: { start: at(from), end: at(to) } }),
  };
}

const isNewOrder = ({ payload }: Asked): boolean => payload !== undefined && 'identifiers' in payload;

test('a window that has passed: renewed at once, naming the replaced certificate, and only once', async ({
  rig,
  front,
}) => {
  // Whatever the certificate: it should have been renewed.
  const events: string[] = [];
  offerRenewal(front, (certificate) => {
    events.push(certificate);
    return windowOf(-2 * DAY, -DAY, 60);
  });
  const domain = await rig.add('ari-one.example.net');
  rig.start(settingsOf(front));
  await rig.toggle(domain, true);
  await rig.until(domain, () => events.length > 0 && idOf(rig, domain.id) !== events[0]);
  // Long enough for its certificates to differ in their second, and for some more orders.
  await sleep(2500);
  const orders = front.request.filter(isNewOrder);
  assert.is(orders.length, 2, 'a directory that always says so is not asked for one after the other');
  assert.is(orders[0].payload!.replaces, undefined);
  assert.is(orders[1].payload!.replaces, events[0]);
});

test('each certificate has its own schedule, and errors of one do not stop the others', async ({ rig, front }) => {
  // 30 names without a common parent need two certificates.
  const domain = await rig.add('ari-many.example.net', (row) =>
    Array.from({ length: 30 }, (_, i) => addressRecord(row, `a.p${i}`)),
  );
  const asked: string[] = [];
  const idsOf = (): (string | null)[] =>
    certificatesOf(situationOf(rig.store.reader, domain.id)).map(({ chain }) => certificateId(chain));
  offerRenewal(front, (certificate) => {
    if (idsOf().includes(certificate)) asked.push(certificate);
    // The directory has lost the first certificate.
    return certificate === idsOf()[0] ? problem(404, 'malformed', 'not found') : windowOf(30 * DAY, 31 * DAY, 3600);
  });
  const acme = rig.start(settingsOf(front));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  await rig.until(domain, () => idsOf().length === 2 && idsOf().every((id) => asked.includes(id!)));
  const renewAt = (): number => rig.store.reader.furtherCertificates(domain.id)[0].renewAt;
  await rig.until(domain, () => renewAt() > rig.seconds() + 29 * DAY && renewAt() < rig.seconds() + 32 * DAY);
  await rig.untilIdle(acme);
  // Two hours later only the second one is due.
  const [first, second] = idsOf();
  const before = asked.filter((id) => id === first).length;
  asked.length = 0;
  rig.ahead = 7300;
  await rig.change(domain, (row) => ({ ...row, updatedAt: rig.seconds() }));
  await rig.until(domain, () => asked.includes(second!));
  await rig.untilIdle(acme);
  assert.not.ok(asked.includes(first!), 'an error is not retried for six hours');
  assert.is(before, 1);
  await rig.stop(acme);
});

test('a temporary error is retried after a minute, and the explanation of a window is logged', async ({
  rig,
  front,
}) => {
  const domain = await rig.add('ari-busy.example.net');
  let asked = 0;
  offerRenewal(front, (certificate) => {
    if (certificate !== idOf(rig, domain.id)) return windowOf(30 * DAY, 31 * DAY, 60);
    const window = windowOf(DAY, 2 * DAY, 7200, rig.ahead);
    const explained = withJson(window, (it) => ({ ...it, explanationURL: 'https://ca.test/incident' }));
    return ++asked === 1 ? problem(503, 'serverInternal', 'busy') : explained;
  });
  const acme = rig.start(settingsOf(front));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  await rig.until(domain, () => asked === 1);
  await rig.untilIdle(acme);
  rig.ahead = 61;
  await rig.change(domain, (row) => ({ ...row, updatedAt: rig.seconds() }));
  await rig.until(domain, () => asked === 2);
  await rig.untilIdle(acme);
  assert.match(rig.log.join(''), /the ACME directory explains a renewal.*https:\/\/ca\.test\/incident/);
  await rig.stop(acme);
});

test('a certificate of another directory is neither asked for nor named as replaced', async ({
  rig,
  front,
  directory,
}) => {
  const domain = await rig.add('ari-foreign.example.net');
  const own = rig.start({ directory: directory.url, caFile: directory.authority });
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  await rig.stop(own);
  const foreign = idOf(rig, domain.id);
  const asked: string[] = [];
  offerRenewal(front, (certificate) => {
    asked.push(certificate);
    return windowOf(30 * DAY, 31 * DAY, 60);
  });
  rig.ahead = 11;
  const acme = rig.start(settingsOf(front));
  await rig.until(domain, () => idOf(rig, domain.id) !== foreign);
  await rig.until(domain, () => asked.length > 0);
  assert.not.ok(asked.includes(foreign!));
  const orders = front.request
    .filter(isNewOrder)
    .filter(({ payload }) => JSON.stringify(payload).includes('ari-foreign'));
  assert.equal(
    orders.map(({ payload }) => payload!.replaces),
    [undefined],
  );
  await rig.stop(acme);
});

test('a later window is followed, and requested as often as the directory says', async ({ rig, front }) => {
  const domain = await rig.add('ari-two.example.net');
  const events: string[] = [];
  offerRenewal(front, (certificate) => {
    if (certificate === idOf(rig, domain.id)) events.push(certificate);
    return windowOf(DAY, 2 * DAY, 7200);
  });
  const acme = rig.start(settingsOf(front));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  await rig.until(domain, () => events.length > 0);
  await rig.until(domain, () => rig.store.reader.acmeOrder(domain.id)!.renewAt! < rig.seconds() + 2 * DAY + 60);
  const { renewAt } = rig.store.reader.acmeOrder(domain.id)!;
  assert.ok(renewAt! > rig.seconds() + DAY - 60);
  assert.is(events.length, 1);
  // When it asks again is counted from when it has stored the answer.
  await rig.untilIdle(acme);
  // An hour later nothing is asked, two hours later it is.
  const changed = (): Promise<unknown> => rig.change(domain, (row) => ({ ...row, updatedAt: rig.seconds() }));
  rig.ahead = 3600;
  await changed();
  await sleep(100);
  assert.is(events.length, 1);
  rig.ahead = 7300;
  await changed();
  await rig.until(domain, () => events.length === 2);
  assert.is(rig.store.reader.acmeOrder(domain.id)!.renewAt, renewAt, 'the time that was chosen stays');
  await rig.stop(acme);
});

test('a window after the end of the certificate is ignored', async ({ rig, front }) => {
  let askedAt = 0;
  offerRenewal(front, () => {
    askedAt++;
    return windowOf(3650 * 3 * DAY, 3650 * 3 * DAY + DAY, 60);
  });
  const domain = await rig.add('ari-three.example.net');
  rig.start(settingsOf(front));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  await rig.until(domain, () => askedAt > 0);
  await sleep(300);
  const { renewAt } = rig.store.reader.acmeOrder(domain.id)!;
  const { notAfter } = rig.store.reader.automaticCertificate(domain.id)!;
  assert.ok(renewAt! < notAfter - DAY, `${renewAt} of ${notAfter}`);
});

test('a certificate that is already replaced, or unknown there, is still ordered', async ({ rig, front }) => {
  const domain = await rig.add('ari-four.example.net');
  offerRenewal(front, () => windowOf(30 * DAY, 31 * DAY, 60));
  const offered = front.instead;
  let refused = 0;
  front.instead = (request) => {
    if (request.payload?.replaces === undefined) return offered(request);
    refused++;
    return problem(409, 'alreadyReplaced', 'it was replaced');
  };
  rig.start(settingsOf(front));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  const first = idOf(rig, domain.id);
  rig.ahead += 11;
  await rig.ask(domain);
  await rig.until(domain, () => idOf(rig, domain.id) !== first);
  assert.is(refused, 1);
});

const problem = (status: number, type: string, detail: string, more: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...more },
  body: JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail, status }),
});

test('a rate limit is reported to the customer, and no order is sent before Retry-After', async ({ rig, front }) => {
  let limited = true;
  front.instead = (request) =>
    limited && isNewOrder(request)
      ? problem(429, 'rateLimited', 'too many certificates (5) already issued', { 'retry-after': '7200' })
      : undefined;
  const domain = await rig.add('limited-one.example.net');
  rig.start(settingsOf(front));
  await rig.toggle(domain, true);
  const row = await rig.untilError(domain);
  assert.is(row.sslStatus, 'error');
  assert.match(row.sslError!, /has reached a rate limit \(its message: too many certificates \(5\) already issued\)/);
  const { blockedUntil, retryAt } = rig.store.reader.acmeOrder(domain.id)!;
  assert.ok(blockedUntil! > rig.seconds() + 7100 && retryAt! >= blockedUntil!);
  // The domains of the tests before are renewed in their time.
  const isOurs = ({ payload }: Asked): boolean => JSON.stringify(payload).includes('limited-one.example.net');
  const orders = (): number => front.request.filter((question) => isNewOrder(question) && isOurs(question)).length;
  assert.is(orders(), 1);
  rig.ahead = 3600;
  await rig.ask(domain);
  await sleep(300);
  assert.is(orders(), 1);
  limited = false;
  rig.ahead = 7300;
  await rig.ask(domain);
  await rig.untilActive(domain);
  assert.is(orders(), 2);
});

const why = whyNotPrograms('pebble');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: renewal information and limits of rate, ${why}`);
