/**
 * Automatic certificates from a real directory (pebble, which refuses half of all good nonces):
 * from toggle to certificate, renewals, and each way to fail.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';
import {
  type AcmeAccount,
  acmeAccounts,
  acmeChallenges,
  acmeOrders,
  automaticCertificates,
  certificates,
  furtherCertificates,
  records,
  rsaCertificates,
} from '../../../../../core/store/rows.ts';
import { CHALLENGE_PATH, challengeResponse } from '../../../../../edge/certificates/acme/http-challenge.ts';
import { newRecord } from '../../../../core/journal/fixture.ts';
import { DELEGATED, Rig } from '../../../../edge/certificates/acme/rig.ts';
import { newId } from '../../../../support/ids.ts';
import { freePort } from '../../../../support/ports.ts';
import { runProgram, whyNotPrograms } from '../../../../support/programs.ts';
import { type Directory, startDirectory } from '../../../peers/pebble.ts';

interface Context {
  rig: Rig;
  directory: Directory;
  httpPort: number;
}

const test = suite<Context>('certificates from pebble');

test.before(async (context) => {
  const rig = await Rig.open();
  const httpPort = await freePort();
  const directory = await startDirectory(rig.dnsPort, { httpPort, nonceReject: 50 });
  Object.assign(context, { rig, directory, httpPort });
});
test.after.each(({ rig }) => rig.reset());
test.after(async ({ rig, directory }) => {
  await directory?.stop();
  await rig?.close();
});

const settingsOf = ({ url, authority }: Directory) => ({ directory: url, caFile: authority });
const leafOf = (rig: Rig, id: number): X509Certificate =>
  new X509Certificate(rig.store.reader.automaticCertificate(id)!.chain);

async function texts(rig: Rig, name: string): Promise<string> {
  return (await runProgram('dig', ['@127.0.0.1', '-p', String(rig.dnsPort), '+norecurse', name, 'TXT'])).output;
}

test('from the switch to active, for the apex and its wildcard; renewed on request and in time', async ({
  rig,
  directory,
}) => {
  const domain = await rig.add('one.example.net');
  const seen: string[] = [];
  const acme = rig.start(settingsOf(directory), 'node-a', {
    // The moment before the directory is asked to look: what it will find is served.
    served: async () => void seen.push(await texts(rig, '_acme-challenge.one.example.net')),
  });
  await rig.toggle(domain, true);
  const row = await rig.untilActive(domain);
  const held = rig.store.reader.automaticCertificate(domain.id)!;
  const leaf = leafOf(rig, domain.id);
  assert.equal(leaf.subjectAltName?.split(', ').sort(), ['DNS:*.one.example.net', 'DNS:one.example.net']);
  assert.equal([...held.names].sort(), ['*.one.example.net', 'one.example.net']);
  assert.is(row.sslError, null);
  assert.is(row.sslIssuedAt, Date.parse(leaf.validFrom) / 1000);
  assert.is(row.sslExpiresAt, Date.parse(leaf.validTo) / 1000);
  const root = new X509Certificate(await directory.root());
  const [, issuer] = held.chain
    .match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g)!
    .map((pem) => new X509Certificate(pem));
  assert.ok(leaf.verify(issuer.publicKey) && issuer.verify(root.publicKey), 'the chain leads to the root');
  const key = rig.secrets.unseal(Buffer.from(held.sealedKey, 'base64'), `automatic-certificate:${domain.id}`);
  assert.match(key.toString(), /BEGIN PRIVATE KEY/);
  assert.is(seen.length, 1);
  assert.is(seen[0].match(/"[\w-]{43}"/g)?.length, 2, seen[0]);
  assert.match(await texts(rig, '_acme-challenge.one.example.net'), /NXDOMAIN/, 'challenges are gone');
  assert.equal(rig.store.reader.acmeChallenges(domain.id), []);

  // Asked for again: another key, and the first certificate is there until then.
  rig.ahead += 11;
  await rig.ask(domain);
  assert.is(leafOf(rig, domain.id).serialNumber, leaf.serialNumber);
  await rig.untilActive(domain);
  const second = leafOf(rig, domain.id);
  assert.is.not(second.serialNumber, leaf.serialNumber);
  assert.not.equal(
    second.publicKey.export({ type: 'spki', format: 'der' }),
    leaf.publicKey.export({ type: 'spki', format: 'der' }),
  );

  // And by itself, at two thirds of its time or up to 3 % of it before.
  const { notBefore, notAfter } = rig.store.reader.automaticCertificate(domain.id)!;
  const { renewAt } = rig.store.reader.acmeOrder(domain.id)!;
  const part = (renewAt! - notBefore) / (notAfter - notBefore);
  assert.ok(part > 0.636 && part < 0.667, String(part));
  await rig.stop(acme);
  rig.ahead = renewAt! - Date.now() / 1000 + 1;
  const again = rig.start(settingsOf(directory));
  await rig.until(domain, () => leafOf(rig, domain.id).serialNumber !== second.serialNumber);
  await rig.untilActive(domain);
  await rig.stop(again);
  rig.ahead = 0;
  const log = rig.log.join('');
  assert.not.match(log, /PRIVATE KEY/);
  for (const line of key
    .toString()
    .split('\n')
    .filter((piece) => piece.length > 40))
    assert.not.ok(log.includes(line));
});

test('_acme-challenge of the apex leads elsewhere: http-01 for the apex, and names that are added later', async ({
  rig,
  directory,
  httpPort,
}) => {
  const domain = await rig.add('two.example.net', (zone) => [
    newRecord(zone, '_acme-challenge', TYPE.CNAME, parseName('elsewhere.example.')),
    { ...newRecord(zone, 'direct', TYPE.A, Uint8Array.of(192, 0, 2, 9)), proxied: false },
  ]);
  const questions: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    questions.push(headers.host ?? '');
    const token = url.slice(CHALLENGE_PATH.length);
    assert.is(challengeResponse(rig.store.reader, newId(), token), undefined, 'only for the domain itself');
    response.end(challengeResponse(rig.store.reader, domain.id, token) ?? 'none');
  });
  await new Promise<void>((done) => server.listen(httpPort, '127.0.0.1', done));
  const acme = rig.start(settingsOf(directory));
  await rig.toggle(domain, true);
  const row = await rig.untilActive(domain);
  const names = ['two.example.net', 'www.two.example.net'];
  assert.equal(rig.store.reader.automaticCertificate(domain.id)?.names, names);
  assert.is(row.sslError, null, 'all proxied names are covered');
  // The answers to the others are below their own names.
  await rig.write((draft) => {
    draft.put(records, newRecord(domain, 'late', TYPE.A, Uint8Array.of(192, 0, 2, 1)));
    draft.put(records, newRecord(domain, '_acme-challenge.late', TYPE.CNAME, parseName('elsewhere.example.')));
  });
  rig.ahead += 11;
  await rig.until(domain, () => rig.store.reader.automaticCertificate(domain.id)!.names.length === 3);
  await rig.untilActive(domain);
  const all = [...names, 'late.two.example.net'].sort();
  assert.equal([...rig.store.reader.automaticCertificate(domain.id)!.names].sort(), all);
  const byHttp = [...new Set(questions.map((host) => host.replace(/:.*/, '')))].sort();
  assert.equal(byHttp, ['late.two.example.net', 'two.example.net']);
  await rig.stop(acme);
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

test('names two labels below the apex and wildcards there are covered, also when they are added later', async ({
  rig,
  directory,
}) => {
  const at = (zone: Parameters<typeof newRecord>[0], name: string) =>
    newRecord(zone, name, TYPE.A, Uint8Array.of(192, 0, 2, 1));
  const domain = await rig.add('deep.example.net', (zone) => [at(zone, 'www.shop'), at(zone, '*.dev')]);
  rig.start(settingsOf(directory));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  const names = (): string[] => [...rig.store.reader.automaticCertificate(domain.id)!.names].sort();
  const first = ['*.deep.example.net', '*.dev.deep.example.net', 'deep.example.net', 'www.shop.deep.example.net'];
  assert.equal(names(), first);
  assert.equal(rig.store.reader.acmeChallenges(domain.id), []);

  await rig.write((draft) => {
    draft.put(records, at(domain, 'www'));
    draft.put(records, at(domain, 'a.b.c'));
    draft.put(records, at(domain, 'api.shop'));
  });
  rig.ahead += 11;
  await rig.until(domain, () => names().includes('a.b.c.deep.example.net'));
  const second = [
    ...first.filter((name) => !name.startsWith('www.')),
    '*.shop.deep.example.net',
    'a.b.c.deep.example.net',
  ];
  assert.equal(names(), second.sort());
  assert.is((await rig.untilActive(domain)).sslError, null);
});

test('a name that cannot be validated does not keep the others from a certificate', async ({ rig, directory }) => {
  const domain = await rig.add('part.example.net', (zone) => [
    newRecord(zone, 'good.a', TYPE.A, Uint8Array.of(192, 0, 2, 1)),
    // By http-01, where nothing listens.
    newRecord(zone, 'bad.b', TYPE.A, Uint8Array.of(192, 0, 2, 1)),
    newRecord(zone, '_acme-challenge.bad.b', TYPE.CNAME, parseName('elsewhere.example.')),
  ]);
  rig.start(settingsOf(directory));
  await rig.toggle(domain, true);
  const row = await rig.untilActive(domain);
  const { names } = rig.store.reader.automaticCertificate(domain.id)!;
  assert.equal([...names].sort(), ['*.part.example.net', 'good.a.part.example.net', 'part.example.net']);
  assert.match(
    row.sslError!,
    /^No certificate could be ordered for bad\.b\.part\.example\.net: The certificate authority could not connect/,
  );
  const [refused] = rig.store.reader.acmeOrder(domain.id)!.refused!;
  assert.equal([refused.name, refused.failures], ['bad.b.part.example.net', 1]);
});

test('a renewal that fails for one name does not take its certificate before it is late', async ({
  rig,
  directory,
}) => {
  const domain = await rig.add('keep.example.net', (zone) => [
    newRecord(zone, 'good.a', TYPE.A, Uint8Array.of(192, 0, 2, 1)),
  ]);
  rig.start(settingsOf(directory));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  const { reader } = rig.store;
  const first = reader.automaticCertificate(domain.id)!;
  // By http-01, where nothing listens.
  const elsewhere = newRecord(domain, '_acme-challenge.good.a', TYPE.CNAME, parseName('elsewhere.example.'));
  await rig.write((draft) => {
    draft.put(acmeOrders, { ...draft.acmeOrder(domain.id)!, renewAt: 1 });
    draft.put(records, elsewhere);
  });
  await rig.until(domain, () => reader.acmeOrder(domain.id)?.refused?.length === 1);
  const row = await rig.untilActive(domain);
  assert.match(row.sslError!, /^No certificate could be ordered for good\.a\.keep\.example\.net: /);
  // Another name is ordered meanwhile, in another certificate.
  await rig.write((draft) => draft.put(records, newRecord(domain, 'x.b', TYPE.A, Uint8Array.of(192, 0, 2, 1))));
  rig.ahead += 11;
  await rig.until(domain, () => reader.furtherCertificates(domain.id).length === 1);
  assert.is(reader.automaticCertificate(domain.id)!.chain, first.chain);
  await rig.write((draft) => draft.delete(records, elsewhere));
  rig.ahead += 120;
  await rig.until(domain, () => reader.automaticCertificate(domain.id)!.chain !== first.chain);
  assert.ok(reader.automaticCertificate(domain.id)!.names.includes('good.a.keep.example.net'));
});

test('more names than a certificate has room for get further certificates', async ({ rig, directory }) => {
  const at = (zone: Parameters<typeof newRecord>[0], i: number) =>
    newRecord(zone, `w.n${i}`, TYPE.A, Uint8Array.of(192, 0, 2, 1));
  const domain = await rig.add('many.example.net', (zone) => Array.from({ length: 30 }, (_, i) => at(zone, i)));
  rig.start(settingsOf(directory));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  rig.ahead += 11;
  await rig.until(domain, () => rig.store.reader.furtherCertificates(domain.id).length === 1);
  const [further] = rig.store.reader.furtherCertificates(domain.id);
  const first = rig.store.reader.automaticCertificate(domain.id)!;
  assert.equal([first.names.length, further.slot, further.names.length], [25, 1, 7]);
  assert.is(new Set([...first.names, ...further.names]).size, 32);
  const key = rig.secrets.unseal(Buffer.from(further.sealedKey, 'base64'), `automatic-certificate:${domain.id}`);
  assert.match(key.toString(), /BEGIN PRIVATE KEY/);
  assert.is((await rig.untilActive(domain)).sslError, null);
  const before = rig.store.reader.furtherCertificates(domain.id)[0].chain;
  // It is renewed by itself, and the first stays as it is.
  await rig.write((draft) => draft.put(furtherCertificates, { ...further, renewAt: rig.seconds() }));
  rig.ahead += 400;
  await rig.until(domain, () => rig.store.reader.furtherCertificates(domain.id)[0].chain !== before);
  assert.is(rig.store.reader.automaticCertificate(domain.id)!.chain, first.chain);
});

test('CAA forbids: nothing is ordered, and the record to add is named; ordered once it is added', async ({
  rig,
  directory,
}) => {
  const forbidding = (zone: Parameters<typeof newRecord>[0]) =>
    newRecord(zone, '@', TYPE.CAA, parseRdata(TYPE.CAA, '0 issue "other.example"'));
  const domain = await rig.add('three.example.net', (zone) => [forbidding(zone)]);
  rig.start({ ...settingsOf(directory), caaIdentities: ['pebble.test'] });
  await rig.toggle(domain, true);
  const row = await rig.untilError(domain);
  assert.is(row.sslStatus, 'error');
  assert.match(
    row.sslError!,
    /^The CAA record at three\.example\.net \(0 issue "other\.example"\) does not allow pebble\.test to issue/,
  );
  assert.match(row.sslError!, /0 issue "pebble\.test"\. The next attempt is at 2\d{3}-/);
  assert.not.match(directory.output(), /three\.example\.net/, 'the directory was not asked');
  const allowing = newRecord(domain, '@', TYPE.CAA, parseRdata(TYPE.CAA, '0 issue "pebble.test"'));
  await rig.write((draft) => draft.put(records, allowing));
  rig.ahead += 61;
  await rig.ask(domain);
  await rig.untilActive(domain);
  assert.is(rig.proxy(domain).sslError, null);
});

test('not delegated to us: the nameservers to set are named', async ({ rig, directory }) => {
  const domain = await rig.add('four.example.net');
  rig.start(settingsOf(directory));
  const cases: [found: readonly string[] | null, message: RegExp][] = [
    [
      ['ns1.other.example'],
      /four\.example\.net is not delegated to this service: its nameservers are ns1\.other\.example\. At your registrar, set its nameservers to ns1\.waypost\.test and ns2\.waypost\.test/,
    ],
    [[], /four\.example\.net is not delegated in the public DNS/],
    [null, /could not be looked up \(ETIMEOUT\)/],
  ];
  for (const [found, message] of cases) {
    rig.dns = {
      ...DELEGATED,
      nameservers: async () => {
        if (found === null) throw Object.assign(new Error('no answer'), { code: 'ETIMEOUT' });
        return found;
      },
    };
    await (rig.proxy(domain).enabled ? rig.ask(domain) : rig.toggle(domain, true));
    const row = await rig.untilError(domain);
    assert.is(row.sslStatus, 'error');
    assert.match(row.sslError!, message);
    rig.ahead += 3600 * 6;
    await rig.until(domain, () => true);
  }
  assert.not.match(directory.output(), /four\.example\.net/);
});

test('the directory does not find the answer: the order fails with its message', async ({ rig }) => {
  const blind = await startDirectory(9);
  const domain = await rig.add('five.example.net');
  const acme = rig.start(settingsOf(blind));
  await rig.toggle(domain, true);
  const row = await rig.untilError(domain);
  assert.is(row.sslStatus, 'error');
  assert.match(row.sslError!, /five\.example\.net.*Check at your registrar that all nameservers/);
  assert.equal(rig.store.reader.acmeChallenges(domain.id), []);
  await rig.stop(acme);
  await blind.stop();
});

test('the directory is down: the old certificate is served, and the renewal is retried', async ({ rig }) => {
  const first = await startDirectory(rig.dnsPort, { nonceReject: 50 });
  const domain = await rig.add('six.example.net');
  const acme = rig.start(settingsOf(first));
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  const { serialNumber } = leafOf(rig, domain.id);
  await first.stop();
  rig.ahead += 11;
  await rig.ask(domain);
  const failed = await rig.untilError(domain);
  assert.is(failed.sslStatus, 'active');
  assert.match(failed.sslError!, /^The certificate authority is currently unreachable\. The next attempt is at /);
  assert.is(leafOf(rig, domain.id).serialNumber, serialNumber);
  assert.is(rig.store.reader.acmeOrder(domain.id)?.failures, 1);
  // It comes back without its accounts, at the same place, with another certificate of its own.
  const port = Number(new URL(first.url).port);
  const second = await startDirectory(rig.dnsPort, { port, nonceReject: 50 });
  await rig.stop(acme);
  rig.ahead += 70;
  rig.start(settingsOf(second));
  await rig.ask(domain);
  await rig.until(domain, () => leafOf(rig, domain.id).serialNumber !== serialNumber);
  assert.is((await rig.untilActive(domain)).sslError, null);
  await rig.reset();
  await second.stop();
});

test('an account that another node, or an earlier start, has registered is used', async ({ rig, directory }) => {
  const [first, second] = await Promise.all(['nine-1', 'nine-2'].map((name) => rig.add(`${name}.example.net`)));
  const before = rig.start(settingsOf(directory));
  await rig.toggle(first, true);
  await rig.untilActive(first);
  await rig.stop(before);
  const key = acmeAccounts.key({ directory: directory.url, eabKid: null } as AcmeAccount);
  let url: string | null = null;
  await rig.write((draft) => {
    const row = draft.row(acmeAccounts, key)!;
    url = row.url;
    draft.put(acmeAccounts, { ...row, url: null });
  });
  rig.start(settingsOf(directory));
  await rig.toggle(second, true);
  await rig.untilActive(second);
  await rig.write((draft) => assert.is(draft.row(acmeAccounts, key)?.url, url));
});

test('an RSA certificate beside the ECDSA one: ordered after it, renewed, and deleted with it', async ({
  rig,
  directory,
}) => {
  const domain = await rig.add('rsa.example.net');
  const settings = { ...settingsOf(directory), alsoRsa: true };
  const acme = rig.start(settings);
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  assert.is(leafOf(rig, domain.id).publicKey.asymmetricKeyType, 'ec');
  const rows = () => rig.store.reader.rsaCertificates(domain.id);
  const wake = (): Promise<unknown> => rig.change(domain, (row) => ({ ...row, updatedAt: rig.seconds() }));
  rig.ahead += 11;
  await wake();
  await rig.until(domain, () => rows().length === 1);
  const [beside] = rows();
  const held = rig.store.reader.automaticCertificate(domain.id)!;
  assert.equal([...beside.names].sort(), [...held.names].sort());
  const leaf = new X509Certificate(beside.chain);
  assert.is(leaf.publicKey.asymmetricKeyType, 'rsa');
  assert.is(beside.directory, directory.url);
  const key = rig.secrets.unseal(Buffer.from(beside.sealedKey, 'base64'), `automatic-certificate:${domain.id}`);
  assert.ok(leaf.checkPrivateKey(createPrivateKey(key)));
  assert.is(rig.store.reader.acmeOrder(domain.id)?.issued, 1, 'it does not delay the next order');
  assert.is((await rig.untilActive(domain)).sslError, null);
  // Nothing more is ordered.
  rig.ahead += 3600;
  await wake();
  await rig.untilIdle(acme);
  assert.is(rows()[0].chain, beside.chain);
  // Renewed when it is due. (By the clock alone the ECDSA one would be due, again and again.)
  await rig.write((draft) => draft.put(rsaCertificates, { ...beside, renewAt: rig.seconds() - 1 }));
  await wake();
  await rig.until(domain, () => rows()[0].chain !== beside.chain);
  await rig.toggle(domain, false);
  rig.ahead += 10 * 365 * 86_400;
  await wake();
  await rig.until(domain, () => rows().length === 0);
});

test('external account binding', async ({ rig }) => {
  const hmac = Buffer.alloc(32, 7).toString('base64url');
  const bound = await startDirectory(rig.dnsPort, { externalAccounts: { 'kid-1': hmac } });
  const domain = await rig.add('seven.example.net');
  const without = rig.start(settingsOf(bound));
  await rig.toggle(domain, true);
  const row = await rig.untilError(domain);
  assert.match(row.sslError!, /The operator of this service has not finished the setup of automatic certificates/);
  await rig.stop(without);
  rig.ahead += 700;
  const acme = rig.start({ ...settingsOf(bound), eabKid: 'kid-1', eabHmacKey: hmac });
  await rig.ask(domain);
  await rig.untilActive(domain);
  await rig.stop(acme);
  assert.not.ok(rig.log.join('').includes(hmac));
  await bound.stop();
});

test('two nodes on one store: one orders', async ({ rig, directory }) => {
  const all = await Promise.all([1, 2, 3, 4, 5].map((i) => rig.add(`eight-${i}.example.net`)));
  const nodes = ['node-a', 'node-b'].map((node) => rig.start(settingsOf(directory), node));
  await Promise.all(all.map((domain) => rig.toggle(domain, true)));
  for (const domain of all) await rig.untilActive(domain);
  for (let i = 1; i <= 5; i++) {
    const issued = directory.output().match(new RegExp(`Issued certificate serial [^\\n]*eight-${i}`, 'g')) ?? [];
    const orders =
      directory.output().match(new RegExp(`identifiers [^\\n]*eight-${i}|Added order [^\\n]*eight-${i}`, 'g')) ?? [];
    assert.ok(issued.length <= 1 && orders.length <= 1, directory.output());
    assert.is(rig.store.reader.acmeOrder(all[i - 1].id)?.issued, 1);
  }
  for (const node of nodes) await rig.stop(node);
});

test('stopped or killed during an order: continued at the next start, nothing is left', async ({ rig, directory }) => {
  const domain = await rig.add('nine.example.net');
  let reached: () => void = () => {};
  const published = new Promise<void>((done) => {
    reached = done;
  });
  let end: () => void = () => {};
  const ended = new Promise<void>((done) => {
    end = done;
  });
  const hanging = {
    async served() {
      // Other domains may renew at the same time.
      if (rig.store.reader.acmeChallenges(domain.id).length === 0) return;
      reached();
      await ended;
      throw new Error('the process ends here');
    },
  };
  const acme = rig.start(settingsOf(directory), 'node-a', hanging);
  await rig.toggle(domain, true);
  await published;
  assert.is(rig.store.reader.acmeChallenges(domain.id).length, 2);
  // As a process leaves it that is killed here.
  const left = rig.store.reader.acmeChallenges(domain.id);
  const claimed = rig.store.reader.acmeOrder(domain.id)!;
  const stopped = rig.stop(acme);
  end();
  await stopped;
  assert.equal(rig.store.reader.acmeChallenges(domain.id), []);
  assert.is(rig.store.reader.acmeOrder(domain.id)?.claim, null);
  await rig.write((draft) => {
    draft.put(acmeOrders, claimed);
    for (const challenge of left)
      draft.put(acmeChallenges, { ...challenge, token: `${challenge.token}-old`, content: 'x'.repeat(43) });
  });
  rig.ahead += 11;
  rig.start(settingsOf(directory));
  await rig.untilActive(domain);
  assert.equal(rig.store.reader.acmeChallenges(domain.id), []);
});

test('turned off during an order; a custom certificate during another', async ({ rig, directory }) => {
  const off = await rig.add('ten.example.net');
  const own = await rig.add('eleven.example.net');
  rig.start(settingsOf(directory), 'node-a', {
    async served() {
      if (rig.store.reader.acmeChallenges(off.id).length > 0) {
        await rig.toggle(off, false);
        return;
      }
      if (rig.store.reader.acmeChallenges(own.id).length === 0) return;
      await rig.write((draft) =>
        draft.put(certificates, {
          domainId: own.id,
          chain: '',
          sealedKey: '',
          notBefore: 1,
          notAfter: 2,
          createdAt: 1,
        }),
      );
      await rig.change(own, (item) => ({
        ...item,
        sslStatus: 'active',
        sslIssuedAt: 1,
        sslExpiresAt: 2,
        orderRequestedAt: null,
      }));
    },
  });
  await rig.toggle(off, true);
  const row = await rig.until(off, ({ sslStatus, enabled }) => sslStatus === 'none' && !enabled);
  assert.is(row.orderRequestedAt, null);
  await rig.toggle(own, true);
  await rig.until(own, () => rig.store.reader.acmeOrder(own.id)?.claim === null);
  assert.is(rig.proxy(own).sslExpiresAt, 2);
  assert.is(rig.store.reader.automaticCertificate(own.id), undefined);
  assert.equal(rig.store.reader.acmeChallenges(off.id), []);
  assert.equal(rig.store.reader.acmeChallenges(own.id), []);
});

test('turned off and on again: the certificate is used at once; one that expired meanwhile is deleted', async ({
  rig,
  directory,
}) => {
  const domain = await rig.add('twelve.example.net');
  const acme = rig.start(settingsOf(directory));
  await rig.toggle(domain, true);
  const { sslExpiresAt } = await rig.untilActive(domain);
  await rig.toggle(domain, false);
  await rig.toggle(domain, true);
  assert.is(rig.proxy(domain).sslStatus, 'active');
  assert.ok(rig.store.reader.automaticCertificate(domain.id));
  await rig.toggle(domain, false);
  await rig.stop(acme);
  rig.ahead = sslExpiresAt! - Date.now() / 1000 + 1;
  rig.start(settingsOf(directory));
  await rig.until(domain, ({ sslStatus }) => sslStatus === 'none');
  assert.is(
    rig.store.reader.row(automaticCertificates, automaticCertificates.key({ domainId: domain.id } as never)),
    undefined,
  );
});

const why = whyNotPrograms('pebble', 'dig');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: certificates from pebble, ${why}`);
