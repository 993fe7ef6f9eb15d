/** Waypost 0.1 and other earlier revisions, each built in its own folder; rows of each kind. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient, type Json } from '../support/api-client.ts';
import { certificate, ecKey, pemOfKey } from '../support/certificate.ts';
import { type Child, startChild } from '../support/child.ts';
import { ADMIN_PASSWORD } from '../support/daemon.ts';
import { inheritedEnvironment } from '../support/inherited-environment.ts';
import { freePort } from '../support/ports.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { packageIn, upload } from '../system/cluster/a-package.ts';

const ROOT = join(import.meta.dirname, '../../..');
const REVISIONS = { '0.1': '8986c16', 'level-3': '9bf523a9' };
const READY_MS = 60_000;

/**
 * The program, built when it is needed for the first time. `level-3`: a
 * revision of 0.3.0 whose nodes have feature level 3.
 */
export function buildOldVersion(version: keyof typeof REVISIONS = '0.1'): string {
  const folder = join(ROOT, `node_modules/.cache/waypost-${version}`);
  const main = join(folder, 'dist/main.js');
  if (existsSync(main)) return main;
  mkdirSync(folder, { recursive: true });
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(program, args, { cwd: folder, stdio: 'pipe', timeout: 600_000 });
  if (!existsSync(join(folder, '.git'))) run('git', 'clone', '--quiet', ROOT, '.');
  run('git', 'checkout', '--quiet', REVISIONS[version]);
  run('npm', 'ci', '--no-audit', '--no-fund', '--silent');
  run('npm', 'run', 'build');
  return main;
}

export interface OldDaemon {
  readonly child: Child;
  readonly dnsPort: number;
  readonly api: ApiClient;
}

/** Either version, on the same data. */
export async function startVersion(
  main: string,
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<OldDaemon> {
  const [dnsPort, adminPort] = [await freePort(), await freePort()];
  const child = startChild(
    process.execPath,
    [main, 'serve'],
    withoutNewSettings({
      WAYPOST_DATA_DIR: dataDir,
      WAYPOST_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
      WAYPOST_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
      WAYPOST_ADMIN_PASSWORD: ADMIN_PASSWORD,
      WAYPOST_RATE_LIMIT: '0',
      WAYPOST_DNS_WORKERS: '1',
      WAYPOST_EDGE_HTTP_LISTEN: 'off',
      WAYPOST_EDGE_HTTPS_LISTEN: 'off',
      WAYPOST_ALIAS_RESOLVERS: '127.0.0.1:9',
      ...settings,
    }),
  );
  await child.waitFor(/^waypost ready/m, READY_MS);
  return { child, dnsPort, api: new ApiClient(`http://127.0.0.1:${adminPort}`) };
}

/** 0.1 refuses variables that it does not know. */
const withoutNewSettings = (settings: Record<string, string>): NodeJS.ProcessEnv => ({
  ...inheritedEnvironment(),
  ...settings,
});

/** Types and contents of records that both versions have. */
export const CONTENTS: Readonly<Record<string, string>> = {
  A: '192.0.2.1',
  AAAA: '2001:db8::1',
  MX: '10 mail.example.com',
  TXT: '"v=spf1 -all"',
  SRV: '10 20 5060 sip.example.com',
  CAA: '0 issue "letsencrypt.org"',
  PTR: 'host.example.com',
  NAPTR: '100 10 "u" "sip+E2U" "!^.*$!sip:info@example.com!" .',
  TLSA: '3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  SSHFP: '4 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  HTTPS: '1 . alpn="h2"',
};

/** What was created, as callers know it. */
export interface Populated {
  readonly adminToken: string;
  /** Of the second account. */
  readonly token: string;
  /** Base64. */
  readonly tsigSecret: string;
  /** Of the uploaded package. */
  readonly sha256: string;
  /** Master files by apex, in canonical order. */
  readonly zones: Readonly<Record<string, string>>;
}

/** Accounts, tokens, domains with records of all types, a proxy with a certificate, a TSIG key. */
export async function populate(api: ApiClient, domains: number): Promise<Populated> {
  await api.logIn('admin', ADMIN_PASSWORD);
  const adminToken = api.token;
  const account: Json = {
    username: 'alice',
    email: 'alice@example.com',
    password: 'a long password of alice',
    plan: 'unlimited',
  };
  await api.call('POST', '/api/v1/accounts', account);
  await api.logIn('alice', 'a long password of alice');
  const { token } = api;
  for (let i = 0; i < domains; i++) {
    const id = await api.createDomain(`domain${i}.example`);
    for (const [type, content] of Object.entries(CONTENTS))
      await api.createRecord(id, `${type.toLowerCase()}.x`, type, content);
    await api.createRecord(id, '@', 'A', `192.0.2.${i % 250}`);
    await api.createRecord(id, 'alias', 'CNAME', `a.x.domain${i}.example`);
    await api.createRecord(id, '*.wild', 'A', '192.0.2.9');
    await api.createRecord(id, 'sub', 'NS', 'ns.elsewhere.test');
    await api.createRecord(id, 'far', 'ALIAS', 'target.elsewhere.test');
    if (i > 0) continue;
    await api.call('PUT', `/api/v1/domains/${id}/proxy`, { origin: '1.1.1.1', port: 8080, protocol: 'http' });
    const issuer = { name: 'Authority', key: ecKey() };
    const key = ecKey();
    const chain = certificate({ name: 'domain0.example', key, issuer, dnsNames: ['domain0.example'] });
    await api.call('PUT', `/api/v1/domains/${id}/proxy/certificate`, {
      certificate: chain,
      private_key: pemOfKey(key),
    });
  }
  const { body } = await api.call('POST', '/api/v1/tsig-keys', { name: 'transfer.key', scopes: ['dns:read'] });
  const folder = temporaryFolder('package');
  const { sha256 } = await upload(api.base, api, await packageIn(folder));
  removeFolder(folder);
  return { adminToken, token, tsigSecret: String(body.secret), sha256, zones: await zoneFiles(api) };
}

/** Of all domains of the account; without SOA and NS of the apex, which follow from settings. */
export async function zoneFiles(api: ApiClient): Promise<Record<string, string>> {
  const { body } = await api.call('GET', '/api/v1/domains?limit=1000');
  const zones: Record<string, string> = {};
  for (const { id, domain } of body.domains as { id: string; domain: string }[]) {
    const { text } = await api.request('GET', `/api/v1/domains/${id}/zonefile`);
    zones[domain] = text
      .split('\n')
      .filter((line) => !/^\$|^@\s+\d+\s+IN\s+(?:SOA|NS)\s/.test(line))
      .join('\n');
  }
  return zones;
}
