/** OCSP responses of OpenSSL's responder are sent with a customer's certificate. */
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, type Issuer, pemOfKey } from '../../../support/certificate.ts';
import { type Child, startChild } from '../../../support/child.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../../support/daemon.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { freePort } from '../../../support/ports.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const test = suite('edge/daemon/staple');
const SITE = 'site.test';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';

const issuer: Issuer = { name: 'authority', key: ecKey() };
const issuerPem = certificate({ ...issuer, ca: true });
const delegateKey = ecKey();
const delegatePem = certificate({ name: 'responder', key: delegateKey, issuer, usage: [OCSP_SIGNING] });

/** What `openssl s_client` shows, with the certificate's status requested. */
async function shown(port: number, ...options: readonly string[]): Promise<string> {
  const connect = ['-connect', `127.0.0.1:${port}`, '-servername', SITE];
  const child = startChild('openssl', ['s_client', ...connect, '-status', ...options]);
  await child.ended();
  return child.output();
}

async function withResponder(
  state: 'V' | 'R',
  signer: 'issuer' | 'delegate',
  use: (pem: string, key: string, responder: Child) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder('ocsp');
  const port = await freePort();
  const key = ecKey();
  const responder = `http://127.0.0.1:${port}`;
  const pem = certificate({ name: SITE, key, issuer, dnsNames: [SITE, `*.${SITE}`], responder });
  const { serialNumber } = new X509Certificate(pem);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const revoked = state === 'R' ? '250101000000Z' : '';
  const index = file('index.txt', `${state}\t491231235959Z\t${revoked}\t${serialNumber}\tunknown\t/CN=${SITE}\n`);
  const authority = file('authority.pem', issuerPem);
  const signerKey = file('signer.key', pemOfKey(signer === 'issuer' ? issuer.key : delegateKey));
  const signerPem = file('signer.pem', signer === 'issuer' ? issuerPem : delegatePem);
  const child = startChild('openssl', [
    ...['ocsp', '-port', String(port), '-index', index, '-CA', authority, '-ndays', '1'],
    ...['-rsigner', signerPem, '-rkey', signerKey, '-text'],
  ]);
  try {
    await child.waitFor(/waiting for OCSP client connections/i);
    await use(pem, pemOfKey(key), child);
  } finally {
    await child.stop();
    removeFolder(folder);
  }
}

async function withSite(
  pem: string,
  key: string,
  settings: Record<string, string>,
  use: (port: number, log: () => string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const daemon = await startDaemon({
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`,
    WAYPOST_EDGE_WORKERS: '2',
    ...settings,
  });
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain(SITE);
    const path = `/api/v1/domains/${id}/proxy`;
    await api.call('PUT', path, { origin: '198.51.101.7', port: 80, protocol: 'http' });
    await api.call('PUT', `${path}/certificate`, { certificate: pem + issuerPem, private_key: key });
    await api.call('POST', `${path}/toggle`, { enable: true });
    await use(port, () => daemon.child.output());
  } finally {
    await daemon.close();
  }
}

const LOCAL = { WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8' };

async function seen(port: number, pattern: RegExp, log: () => string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const text = await shown(port);
    if (pattern.test(text)) return;
    assert.ok(Date.now() < end, `${log()}\n${text}`);
  }
}

const why = whyNotPrograms('openssl');
if (why !== null) test.skip(`OCSP staples: ${why}`, () => {});
else {
  for (const [tls, signer] of [
    ['auto', 'delegate'],
    ['node', 'issuer'],
  ] as const)
    test(`edge.tls ${tls}: a response that the ${signer} has signed is sent from the next handshakes on`, async () => {
      await withResponder('V', signer, async (pem, key) => {
        await withSite(pem, key, { ...LOCAL, WAYPOST_EDGE_TLS: tls }, async (port, log) => {
          assert.match(await shown(port), /OCSP response: no response sent/);
          await seen(port, /OCSP Response Status: successful[\s\S]*Cert Status: good/, log);
          for (const version of ['-tls1_2', '-tls1_3'])
            for (const protocol of ['h2', 'http/1.1'])
              assert.match(
                await shown(port, version, '-alpn', protocol),
                /Cert Status: good/,
                `${version} ${protocol}`,
              );
          assert.not.match(log(), /OCSP/);
        });
      });
    });

  test('a revoked certificate is reported, and served without a response', async () => {
    await withResponder('R', 'issuer', async (pem, key) => {
      await withSite(pem, key, LOCAL, async (port, log) => {
        assert.match(await shown(port), /no response sent/);
        for (const end = Date.now() + PATIENCE_MS; !/a served certificate is revoked/.test(log()); await sleep(50))
          assert.ok(Date.now() < end, log());
        assert.match(await shown(port), /no response sent/);
      });
    });
  });

  test('a responder whose address is not public is not connected to', async () => {
    await withResponder('V', 'issuer', async (pem, key, responder) => {
      await withSite(pem, key, {}, async (port, log) => {
        assert.match(await shown(port), /no response sent/);
        for (const end = Date.now() + PATIENCE_MS; !/no address that may be connected to/.test(log()); await sleep(50))
          assert.ok(Date.now() < end, log());
        assert.not.match(responder.output(), /OCSP Request/i);
      });
    });
  });
}

test.run();
