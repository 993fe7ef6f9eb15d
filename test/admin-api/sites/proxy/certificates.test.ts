import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { openSecrets } from '../../../../core/base/secrets.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { idKey } from '../../../../core/store/keys.ts';
import {
  acmeOrders,
  automaticCertificates,
  certificates,
  furtherCertificates,
  proxies,
  rsaCertificates,
} from '../../../../core/store/rows.ts';
import { DomainPurge } from '../../../../core/upkeep/domains/purge.ts';
import { certificate, ecKey, pemOfKey, rsaKey } from '../../../support/certificate.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { type Daemon, type Json, listOf } from '../../daemon.ts';
import { faultOf, type Rig, startRig } from './rig.ts';

const test = suite<Rig>('admin-api/sites/proxy/certificates');
test.before(async (context) => void Object.assign(context, await startRig()));
test.after((context) => context.daemon.stop());

const root = { name: 'Test Root', key: ecKey() };
const rootPem = certificate({ ...root, ca: true });

function own(name: string, dnsNames: readonly string[] = [name, `*.${name}`]) {
  const key = ecKey();
  const pem = certificate({ name, key, issuer: root, dnsNames }) + rootPem;
  return { certificate: pem, private_key: pemOfKey(key) };
}

const ssl = ({ proxy }: Json): unknown[] => [
  proxy.ssl_status,
  proxy.ssl_issued_at === null,
  proxy.ssl_expires_at === null,
  proxy.ssl_error,
];

const rowOf = ({ daemon }: Rig, id: string) => {
  const key = idKey(Number(id));
  const value = daemon.environment.rows.get(certificates.number)!.get(key);
  return value === undefined ? undefined : certificates.decode(key, value);
};

test('orders a new certificate only with the proxy on', async ({ domain, proxy }) => {
  const id = await domain('order.test', ['@ A 1.1.1.1']);
  assert.equal(faultOf(await proxy('POST', id, '/certificate')), [409, 'proxy_disabled', undefined]);
  await proxy('POST', id, '/toggle', { enable: true });
  for (const json of [undefined, {}]) {
    const { status, body } = await proxy('POST', id, '/certificate', json);
    assert.is(status, 200);
    assert.equal(ssl(body), ['pending', true, true, null]);
    assert.equal((await proxy('GET', id)).body, body);
  }
  assert.equal(faultOf(await proxy('DELETE', id, '/certificate')), [404, 'no_such_certificate', undefined]);
  await proxy('POST', id, '/toggle', { enable: false });
  assert.equal(faultOf(await proxy('POST', id, '/certificate')), [409, 'proxy_disabled', undefined]);
});

test('a new order renews the served certificate, which is served until then', async ({ daemon, domain, proxy }) => {
  const id = await domain('renew.test', ['@ A 1.1.1.1']);
  await proxy('POST', id, '/toggle', { enable: true });
  const table = daemon.environment.rows.get(proxies.number)!;
  const key = idKey(Number(id));
  const row = proxies.decode(key, table.get(key)!);
  for (const [before, after] of [
    ['active', 'renewing'],
    ['renewing', 'renewing'],
    ['error', 'pending'],
    ['none', 'pending'],
  ] as const) {
    // The state that the edge would write.
    await table.put(key, proxies.encode({ ...row, sslStatus: before, sslError: 'CAA', orderRequestedAt: null }));
    const { body } = await proxy('POST', id, '/certificate');
    assert.equal([body.proxy.ssl_status, body.proxy.ssl_error], [after, null], before);
    assert.type(proxies.decode(key, table.get(key)!).orderRequestedAt, 'number');
  }
});

test('a custom certificate is active at once, stored encrypted, and never shown', async (rig) => {
  const { domain, proxy, daemon } = rig;
  const id = await domain('own.test', ['@ A 1.1.1.1', 'www A 1.1.1.1']);
  const first = own('own.test');
  const { status, body, text } = await proxy('PUT', id, '/certificate', first);
  assert.is(status, 200, text);
  assert.equal(ssl(body), ['active', false, false, null]);
  assert.match(String(body.proxy.ssl_expires_at), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.is(body.proxy.is_enabled, 0 as never, 'also before the proxy is on');
  assert.equal(body.proxy.warnings, []);

  const on = await proxy('POST', id, '/toggle', { enable: true });
  assert.equal(ssl(on.body), ['active', false, false, null]);
  assert.equal(faultOf(await proxy('POST', id, '/certificate')), [409, 'certificate_custom', undefined]);
  await proxy('POST', id, '/toggle', { enable: false });
  assert.equal(ssl((await proxy('GET', id)).body), ['active', false, false, null]);

  const row = rowOf(rig, id)!;
  assert.is(row.chain, first.certificate);
  const everywhere = [
    text,
    daemon.logged.join(),
    JSON.stringify(row),
    (await daemon.call('GET', '/api/v1/audit?limit=1000')).text,
    (await proxy('GET', id)).text,
  ];
  for (const line of first.private_key.split('\n').filter((value) => value.length > 20 && !value.startsWith('-----')))
    for (const value of everywhere) assert.not(value.includes(line));
  const sealed = Buffer.from(row.sealedKey, 'base64');
  const secrets = openSecrets(daemon.keyFile);
  assert.is(secrets.unseal(sealed, `certificate:${id}`).toString(), first.private_key);
  assert.throws(() => secrets.unseal(sealed, 'certificate:0000000000000000'));
  const { body: audit } = await daemon.call('GET', '/api/v1/audit?limit=10');
  const entry = listOf(audit.entries ?? audit.audit).find(({ action }) => String(action) === 'certificate.set')!;
  assert.match(JSON.stringify(entry.detail), /"names":"own\.test, \*\.own\.test","sha256":"[0-9A-F:]{95}"/);

  const second = own('own.test');
  assert.is((await proxy('PUT', id, '/certificate', second)).status, 200);
  assert.is(rowOf(rig, id)?.chain, second.certificate);
});

test('returns to the automatic certificate, ordered at once if the proxy is on', async (rig) => {
  const { domain, proxy } = rig;
  const id = await domain('back.test', ['@ A 1.1.1.1']);
  await proxy('PUT', id, '/certificate', own('back.test'));
  assert.equal(ssl((await proxy('DELETE', id, '/certificate')).body), ['none', true, true, null]);
  assert.is(rowOf(rig, id), undefined);
  await proxy('PUT', id, '/certificate', own('back.test'));
  await proxy('POST', id, '/toggle', { enable: true });
  assert.equal(ssl((await proxy('DELETE', id, '/certificate')).body), ['pending', true, true, null]);
});

test('errors change nothing', async (rig) => {
  const { domain, proxy } = rig;
  const id = await domain('fault.test');
  const good = own('fault.test');
  const long = 'x'.repeat(65_537);
  for (const [json, code, pointer] of [
    [{}, 'validation', '/certificate'],
    [{ certificate: good.certificate }, 'validation', '/private_key'],
    [{ ...good, certificate: 7 }, 'validation', '/certificate'],
    [{ ...good, certificate: long }, 'validation', '/certificate'],
    [{ ...good, private_key: long }, 'validation', '/private_key'],
    [{ ...good, private_key: own('fault.test').private_key }, 'key_mismatch', '/private_key'],
    [own('other.test'), 'certificate_names', '/certificate'],
    [{ ...good, certificate: 'hello' }, 'invalid_certificate', '/certificate'],
  ] as const) {
    const answer = await proxy('PUT', id, '/certificate', json);
    assert.equal(faultOf(answer), [422, code, pointer]);
  }
  assert.is(rowOf(rig, id), undefined);
  assert.is((await proxy('GET', id)).body.proxy.ssl_status, 'none' as never);
});

test('warns of web names that the certificate does not cover', async ({ domain, proxy }) => {
  const id = await domain('names.test', [
    '@ A 1.1.1.1',
    '@ MX 10 mail.names.test',
    'www A 1.1.1.1',
    'mail A 1.1.1.1',
    'shop CNAME www.names.test',
    'a.b A 1.1.1.1',
    'grey A 1.1.1.1 proxied=false',
    '_x A 1.1.1.1',
    'txt TXT hello',
  ]);
  const exact = await proxy('PUT', id, '/certificate', own('names.test', ['names.test', 'www.names.test']));
  assert.match(
    String(listOf(exact.body.proxy.warnings)[0]),
    /^The certificate does not cover a\.b\.names\.test, shop\.names\.test: browsers/,
  );
  const wild = await proxy('PUT', id, '/certificate', own('names.test'));
  assert.match(
    String(listOf(wild.body.proxy.warnings)[0]),
    /^The certificate does not cover a\.b\.names\.test: browsers/,
  );
});

test('an uploaded certificate without the apex is accepted, and the names that it lacks are warnings', async ({
  domain,
  proxy,
}) => {
  const id = await domain('part.test', ['@ A 1.1.1.1', 'www A 1.1.1.1', 'www.shop A 1.1.1.1', '*.dev A 1.1.1.1']);
  await proxy('POST', id, '/toggle', { enable: true });
  const { status, body, text } = await proxy('PUT', id, '/certificate', own('part.test', ['www.shop.part.test']));
  assert.is(status, 200, text);
  assert.equal(ssl(body), ['active', false, false, null]);
  const warning =
    'The certificate does not cover part.test, *.dev.part.test, www.part.test: browsers warn visitors of these names while the proxy is on.';
  assert.equal(
    listOf(body.proxy.warnings).filter((each) => String(each).startsWith('The certificate does not cover')),
    [warning],
  );
  const { body: later } = await proxy('GET', id);
  assert.ok(listOf(later.proxy.warnings).includes(warning as never), 'not only in the response to the upload');
  const [first] = listOf(later.proxy.certificates);
  assert.equal([first.source, first.hosts], ['uploaded', ['www.shop.part.test']]);
  assert.equal(
    listOf(later.proxy.uncovered).map(({ name }) => name),
    ['part.test', '*.dev.part.test', 'www.part.test'],
  );
});

test('proxied names that the automatic certificate does not cover are warnings', async ({ daemon, domain, proxy }) => {
  const id = await domain('deep.test', [
    '@ A 1.1.1.1',
    'www A 1.1.1.1',
    'www.shop A 1.1.1.1',
    'a.b.c A 1.1.1.1',
    '*.dev A 1.1.1.1',
    'mail.shop A 1.1.1.1 proxied=false',
  ]);
  await proxy('POST', id, '/toggle', { enable: true });
  const pem = own('deep.test').certificate;
  await write(daemon.environment, daemon.journal, 'test', (draft) => {
    const names = ['deep.test', '*.deep.test'];
    const times = { notBefore: 1, notAfter: 4_000_000_000, createdAt: 1 };
    draft.put(automaticCertificates, { domainId: Number(id), chain: pem, sealedKey: '', names, ...times });
  });
  const { body } = await proxy('GET', id);
  const missing = ['a.b.c.deep.test', '*.dev.deep.test', 'www.shop.deep.test'];
  assert.equal(
    listOf(body.proxy.uncovered).map(({ name }) => name),
    missing,
  );
  assert.match(
    listOf(body.proxy.warnings).join(),
    new RegExp(`No certificate covers ${missing.join(', ').replace('*', '\\*')} yet`),
  );
  const [first] = listOf(body.proxy.certificates);
  assert.equal(first.hosts, ['deep.test', 'www.deep.test']);
  assert.is(first.issuer, 'Test Root');
});

/** Deletes a domain with all its rows, which usually happens in the background. */
async function deleteForGood(daemon: Daemon, id: string | number): Promise<void> {
  const { environment, journal } = daemon;
  await daemon.call('DELETE', `/api/v1/domains/${id}?permanent=true`);
  const log = createLogger({ level: 'error', format: 'text' });
  const config = loadConfig({ env: {} });
  await new DomainPurge({ config, environment, journal, log, tasks: singleNodeTasks() }).run();
}

test('an RSA certificate beside an ECDSA one: both are stored, listed, replaced and deleted together', async (rig) => {
  const { daemon, domain, proxy } = rig;
  const id = await domain('both.test', ['@ A 1.1.1.1', 'www A 1.1.1.1']);
  await proxy('POST', id, '/toggle', { enable: true });
  const first = own('both.test');
  const put = (more: object) => proxy('PUT', id, '/certificate', { ...first, ...more });
  const rsaOf = (dnsNames: readonly string[], key = rsaKey(2048)) => ({
    rsa_certificate: certificate({ name: dnsNames[0], key, issuer: root, dnsNames }) + rootPem,
    rsa_private_key: pemOfKey(key),
  });
  const good = rsaOf(['both.test', '*.both.test']);
  const faults: readonly (readonly [object, string, string])[] = [
    [{ rsa_certificate: good.rsa_certificate }, 'validation', '/rsa_private_key'],
    [{ rsa_private_key: good.rsa_private_key }, 'validation', '/rsa_certificate'],
    [{ ...good, rsa_private_key: pemOfKey(rsaKey(2048, 1)) }, 'key_mismatch', '/rsa_private_key'],
    [{ ...good, rsa_certificate: 'x' }, 'invalid_certificate', '/rsa_certificate'],
    [rsaOf(['both.test']), 'certificate_names', '/rsa_certificate'],
    [rsaOf(['both.test', '*.both.test'], ecKey()), 'unsupported_key', '/rsa_certificate'],
    [
      { certificate: good.rsa_certificate, private_key: good.rsa_private_key, ...good },
      'unsupported_key',
      '/rsa_certificate',
    ],
  ];
  for (const [body, code, pointer] of faults) assert.equal(faultOf(await put(body)), [422, code, pointer]);
  const set = await put(good);
  assert.equal(
    listOf(set.body.proxy.certificates).map(({ source, key_type }) => `${source} ${key_type}`),
    ['uploaded ecdsa', 'uploaded rsa'],
  );
  const stored = (): number => daemon.environment.rows.get(rsaCertificates.number)!.getCount();
  assert.is(stored(), 1);
  const shown = await proxy('GET', id);
  assert.not.match(JSON.stringify(shown.body), /PRIVATE/);
  assert.equal(
    listOf(shown.body.proxy.certificates).map(({ hosts }) => hosts),
    [
      ['both.test', 'www.both.test'],
      ['both.test', 'www.both.test'],
    ],
  );
  await put({});
  assert.is(stored(), 0, 'another upload replaces both');
  await put(good);
  await proxy('DELETE', id, '/certificate');
  assert.is(stored(), 0);
  await put(good);
  await deleteForGood(daemon, id);
  assert.is(stored(), 0);
});

test('several automatic certificates are listed with the names they serve, and refused names with the reason', async ({
  daemon,
  domain,
  proxy,
}) => {
  const id = await domain('several.test', ['@ A 1.1.1.1', 'www.shop A 1.1.1.1', '*.dev A 1.1.1.1']);
  const domainId = Number(id);
  await proxy('POST', id, '/toggle', { enable: true });
  const put = (work: Parameters<typeof write>[3]) => write(daemon.environment, daemon.journal, 'test', work);
  const times = { notBefore: 1, notAfter: 4_000_000_000, createdAt: 1 };
  const row = { domainId, chain: own('several.test').certificate, sealedKey: '', ...times };
  const further = { ...row, names: ['www.shop.several.test'], slot: 1, renewAt: 2, directory: null };
  const retryAt = 3_000_000_000;
  await put((draft) => {
    draft.put(automaticCertificates, { ...row, names: ['several.test', '*.several.test'] });
    draft.put(furtherCertificates, further);
    draft.put(acmeOrders, {
      ...{ domainId, claim: null, triedAt: 1, failures: 0, retryAt: null, blockedUntil: null, renewAt: null },
      ...{ directory: null, issued: 0, issuedSince: 0 },
      refused: [{ name: '*.dev.several.test', why: 'CAA forbids it.', failures: 1, failedAt: 1, retryAt }],
    });
  });
  const { body } = await proxy('GET', id);
  assert.equal(
    listOf(body.proxy.certificates).map(({ hosts }) => hosts),
    [['several.test'], ['www.shop.several.test']],
  );
  const why = { why: 'CAA forbids it.', next_attempt_at: '2065-01-24 05:20:00' };
  assert.equal(listOf(body.proxy.uncovered), [{ name: '*.dev.several.test', ...why }]);
  await deleteForGood(daemon, id);
  assert.is(daemon.environment.rows.get(furtherCertificates.number)!.getCount(), 0);
});

test('deleting the domain for good deletes its certificate', async (rig) => {
  const id = await rig.domain('gone.test');
  await rig.proxy('PUT', id, '/certificate', own('gone.test'));
  assert.ok(rowOf(rig, id));
  await deleteForGood(rig.daemon, id);
  assert.is(rowOf(rig, id), undefined);
});

test.run();
