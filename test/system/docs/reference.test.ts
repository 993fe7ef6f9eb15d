/**
 * Runs every example of the reference against a daemon: those for curl with curl, commands with the
 * command line, and those for TypeScript with the built package, compiled against its types.
 */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ZipFile } from 'yazl';
import { newApp } from '../../../admin-api/miniapp/templates/templates.ts';
import { FOREIGN_KEY } from '../../admin-api/contract/sample.ts';
import { ROOT } from '../../check/docs/pages.ts';
import type { Json } from '../../support/api-client.ts';
import { ADMIN_PASSWORD, type Daemon, MAIN, startDaemon } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { Terminal } from './terminal.ts';

const APP = 'com.example.notes';
const NEW_PASSWORD = 'another long secret';
/** Value of ids in examples. */
const ID = /\b17\b/g;

interface Operation {
  readonly id: string;
  readonly path: string;
  readonly isStream: boolean;
  readonly samples: Readonly<Record<string, string | undefined>>;
}

/** Examples that a daemon without sessions and resolvers refuses: with which code. */
const REFUSED: Readonly<Record<string, string>> = {
  getSession: 'no_session',
  signOut: 'no_session',
  getPasskeySignInOptions: 'passkeys_unavailable',
  signInWithPasskey: 'passkeys_unavailable',
  getPasskeyOptions: 'passkeys_unavailable',
  createPasskey: 'passkeys_unavailable',
  renamePasskey: 'no_such_passkey',
  deletePasskey: 'no_such_passkey',
  disableTotp: 'totp_disabled',
  confirmTotp: 'totp_not_begun',
  renewRecoveryCodes: 'totp_disabled',
  replacePrimaries: 'private_primary',
  transferZone: 'pending',
  resignDnssec: 'dnssec_rolling',
  startDnssecRollover: 'dnssec_rolling',
  cancelDnssecRollover: 'not_rolling',
  setProxyOrigin: 'resolver_unavailable',
  testProxyOrigin: 'resolver_unavailable',
  orderCertificate: 'proxy_disabled',
  setCertificate: 'invalid_certificate',
  deleteCertificate: 'no_such_certificate',
  testLogs: 'logs_disabled',
  resumeDeliveries: 'not_paused',
  approveUpload: 'wrong_state',
  downloadStoreIcon: 'no_icon',
};

/** Get 503, which the command line and the client retry for minutes. */
const RETRIED: ReadonlySet<string> = new Set(['setProxyOrigin', 'testProxyOrigin']);

class World {
  #versions = 0;

  private constructor(
    readonly daemon: Daemon,
    readonly folder: string,
    readonly operations: readonly Operation[],
    readonly terminal: Terminal,
  ) {}

  static async open(): Promise<World> {
    const daemon = await startDaemon({ WAYPOST_PACKAGES_UPLOAD_RATE_LIMIT: '0' });
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const { body } = await daemon.api.call('GET', '/api/v1/openapi.json');
    const folder = temporaryFolder('reference');
    writeFiles(folder);
    const env = {
      ...daemon.env,
      WAYPOST_URL: daemon.api.base,
      WAYPOST_TOKEN: daemon.api.token,
      WAYPOST_ADMIN_PASSWORD: ADMIN_PASSWORD,
      HOME: folder,
      LC_ALL: 'C.UTF-8',
      PATH: `${join(folder, 'bin')}:${join(process.execPath, '..')}:${process.env.PATH}`,
    };
    Object.assign(process.env, { WAYPOST_URL: env.WAYPOST_URL, WAYPOST_TOKEN: env.WAYPOST_TOKEN });
    return new World(daemon, folder, operationsOf(body), new Terminal(folder, env, PATIENCE_MS));
  }

  async close(): Promise<void> {
    await this.terminal.close();
    await this.daemon.close();
    removeFolder(this.folder);
  }

  /** New objects for the example of an operation, and the values of the parameters in its path. */
  async prepare(operation: Operation): Promise<Record<string, string>> {
    const { id, path } = operation;
    const { api } = this.daemon;
    const { domains } = (await api.call('GET', '/api/v1/domains')).body as { domains: { id: number }[] };
    for (const domain of domains) await api.call('DELETE', `/api/v1/domains/${domain.id}?force=true`);
    const { accounts } = (await api.call('GET', '/api/v1/accounts')).body as { accounts: { id: number }[] };
    for (const account of accounts.filter((row) => row.id !== 1))
      await api.call('DELETE', `/api/v1/accounts/${account.id}`);
    const create = async (at: string, field: string | null, body: Json = {}): Promise<string> => {
      const made = (await api.call('POST', at, body)).body;
      return String(((made[field ?? ''] ?? made) as { id: number }).id);
    };
    const domain_id = await create('/api/v1/domains', 'domain', { domain: 'example.com' });
    const base = `/api/v1/domains/${domain_id}`;
    const record_id = await create(`${base}/records`, 'record', { name: 'www', type: 'A', content: '192.0.2.1' });
    const values: Record<string, string> = {
      ...{ domain_id, record_id, revision: '1', name: 'www', type: 'A', version: '1.0.0', app_id: APP, seq: '1' },
      account_id: await create('/api/v1/accounts', 'account', { username: 'bob', password: 'a long secret of bob' }),
    };
    if (path.includes('{seq}')) {
      const { changes } = (await api.call('GET', `${base}/history`)).body as { changes: { seq: number }[] };
      values.seq = String(changes[0].seq);
    }
    if (path.includes('/tokens')) values.token_id = await create('/api/v1/tokens', null, { name: 'old' });
    if (path.includes('/tsig-keys')) {
      const { tsig_keys } = (await api.call('GET', '/api/v1/tsig-keys')).body as { tsig_keys: { id: number }[] };
      for (const key of tsig_keys) await api.call('DELETE', `/api/v1/tsig-keys/${key.id}`);
      if (path.includes('{key_id}')) values.key_id = await create('/api/v1/tsig-keys', null, { name: 'old' });
    }
    if (/primaries|transfer$/.test(path)) {
      const body = { domain: 'secondary.example', kind: 'secondary', primaries: [{ address: '1.1.1.1' }] };
      values.domain_id = await create('/api/v1/domains', 'domain', body);
    }
    if (path.includes('/deleted/{')) await api.call('DELETE', base);
    if (path.includes('/steering/{') && id !== 'setSteering')
      await api.call('PUT', `${base}/steering/www/A`, {
        pools: [{ name: 'all', answers: [{ content: '192.0.2.1' }] }],
      });
    if (path.includes('/proxy') || path.includes('/requests')) {
      await api.call('PUT', `${base}/proxy`, { origin: '1.1.1.1' });
      for (const [name, body] of Object.entries({ rules: { rules: [] }, 'error-pages': { pages: [] }, protection: {} }))
        if (path.includes(name)) await api.call('PUT', `${base}/proxy/${name}`, body as Json);
    }
    if (path.includes('/webhooks/')) {
      const body = { url: 'https://1.1.1.1/waypost', enabled: true };
      const { webhooks } = (await api.call('GET', '/api/v1/webhooks')).body as { webhooks: { id: number }[] };
      for (const webhook of webhooks) await api.call('DELETE', `/api/v1/webhooks/${webhook.id}`);
      values.webhook_id = await create('/api/v1/webhooks', 'webhook', body);
      values.delivery_id = await create(`/api/v1/webhooks/${values.webhook_id}/test`, 'delivery');
    }
    if (path.includes('/dnssec')) await api.call('PUT', `${base}/dnssec`, { enabled: id !== 'setDnssec' });
    if (path.includes('/foreign-keys/')) {
      values.foreign_key_id = await create(`${base}/dnssec/foreign-keys`, 'foreign_key', { dnskey: FOREIGN_KEY });
    }
    if (path.includes('{session_id}')) values.session_id = await this.#session();
    if (path.includes('/store/keys')) values.store_key_id = await this.#storeKey();
    if (/\/(dev|store)\/(apps|admin|uploads)/.test(path)) values.upload_id = await this.#upload(operation);
    return values;
  }

  async #session(): Promise<string> {
    const { api } = this.daemon;
    await api.call('POST', '/api/v1/session', { login: 'admin', password: ADMIN_PASSWORD });
    const { sessions } = (await api.call('GET', '/api/v1/sessions')).body as { sessions: { id: number }[] };
    return String(sessions[0].id);
  }

  async #storeKey(): Promise<string> {
    const { api } = this.daemon;
    const read = async () => (await api.call('GET', '/api/store/keys')).body.keys as { key_id: number }[];
    if ((await read()).length === 0) await api.call('POST', '/api/admin/store/keys', { overlap_days: 1 });
    return String((await read())[0].key_id);
  }

  /** Leaves a package to send in the folder, or sends it. */
  async #upload({ id, path }: Operation): Promise<string> {
    const { api } = this.daemon;
    const files = newApp({ id: APP, name: 'Notes' });
    const manifest = { ...(JSON.parse(String(files['manifest.json'])) as object), versionCode: ++this.#versions };
    const zip = new ZipFile();
    for (const [name, content] of Object.entries({ ...files, 'manifest.json': JSON.stringify(manifest) }))
      zip.addBuffer(Buffer.from(content), name);
    zip.end();
    const bytes = await buffer(zip.outputStream);
    writeFileSync(join(this.folder, 'notes.pkg'), bytes);
    if (this.#versions > 1) await api.request('POST', `/api/dev/admin/apps/${APP}/reinstate`);
    if (id === 'uploadPackage') return '';
    const form = new FormData();
    form.append('package', new Blob([new Uint8Array(bytes)]), 'notes.pkg');
    const headers = { Authorization: `Bearer ${api.token}` };
    const response = await fetch(`${api.base}/api/dev/apps/upload`, { method: 'POST', headers, body: form });
    const { upload } = (await response.json()) as { upload: { id: number } };
    if (path.startsWith('/api/store/')) await api.request('POST', `/api/dev/uploads/${upload.id}/publish`);
    return String(upload.id);
  }

  /** Undoes what would stop the next example. */
  async tidy({ id }: Operation): Promise<void> {
    const { api } = this.daemon;
    if (id === 'changeOwnPassword')
      await api.call('PUT', '/api/v1/account/password', { password: NEW_PASSWORD, new_password: ADMIN_PASSWORD });
  }
}

function writeFiles(folder: string): void {
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/waypost'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(join(folder, 'bin/waypost'), 0o755);
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(ROOT, 'dist/client'), join(folder, 'node_modules/waypost-client'));
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  const files: Readonly<Record<string, string | Buffer>> = {
    'example.com.zone': 'www A 192.0.2.9\n',
    'example.net.zone': 'www A 192.0.2.9\n',
    'fullchain.pem': '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
    'privkey.pem': '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n',
    'names.txt': 'example.net\nexample.org\n',
    '5xx.html': '<!doctype html><title>{{title}}</title>',
    'steering.json': '{"pools":[{"name":"all","answers":[{"content":"192.0.2.1"}]}]}',
    'rules.json': '{"rules":[]}',
    'origins.json': '{"origins":[]}',
    'query.bin': Buffer.from('AAABAAABAAAAAAAAA3d3dwdleGFtcGxlA2NvbQAAAQAB', 'base64url'),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

function operationsOf(document: unknown): Operation[] {
  interface Described {
    readonly operationId: string;
    readonly responses: { readonly 200: { readonly content?: object } };
    readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
  }
  const { paths } = document as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId: id, responses, 'x-codeSamples': samples }) => ({
      ...{ id, path },
      isStream: 'text/event-stream' in (responses[200].content ?? {}),
      samples: Object.fromEntries(samples.map(({ label, source }) => [label, source])),
    })),
  );
}

/** Runs the samples of a language, each with objects of its own; returns the faults. */
async function runAll(
  world: World,
  label: string,
  run: (source: string, operation: Operation) => Promise<string | undefined>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const operation of world.operations) {
    const source = operation.samples[label];
    if (source === undefined || (label !== 'curl' && RETRIED.has(operation.id))) continue;
    try {
      const values = await world.prepare(operation);
      const fault = await run(withValues(source, operation.path, values), operation);
      await world.tidy(operation);
      if (fault !== undefined) faults.push(`${operation.id}: ${fault}`);
    } catch (error) {
      faults.push(`${operation.id}: ${(error as Error).message}`);
    }
  }
  return faults;
}

/** Replaces the ids of an example: in a path by their names, in a command by the last one. */
function withValues(source: string, path: string, values: Readonly<Record<string, string>>): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name)
    .filter((name) => name.endsWith('_id') || name === 'seq');
  const ids = names.filter((name) => name !== 'app_id');
  if (source.startsWith('waypost ')) {
    const own = path.includes('{delivery_id}') ? 'webhook_id' : ids.at(-1);
    return source.replace(ID, values[own ?? ''] ?? '17').replace(/--delivery 18\b/, `--delivery ${values.delivery_id}`);
  }
  if (source.startsWith('curl ')) {
    let at = 0;
    return source.replace(/\/17\b/g, () => `/${values[ids[at++]]}`);
  }
  return source.replace(/\b(\w+): 17\b/g, (all, name: string) =>
    ids.includes(name) ? `${name}: ${values[name]}` : all,
  );
}

const why = whyNotPrograms('curl');
if (why !== null) console.log(`skipped: the examples of the reference, ${why}`);
else {
  const test = suite<{ world: World }>('examples of the reference');
  test.before(async (context) => {
    context.world = await World.open();
  });
  test.after(({ world }) => world.close());

  test('those for curl run', async ({ world }) => {
    const faults = await runAll(world, 'curl', async (source, { id, isStream }) => {
      const more = isStream ? '-sS --max-time 2' : "-sS -w '\\n%{http_code}'";
      const shown = REFUSED[id] === undefined ? source : source.replace('-o file ', '');
      const { code, output } = await world.terminal.run(shown.replace('curl ', `curl ${more} `));
      if (isStream) return code === 28 ? undefined : `${code} ${output}`;
      if (output.endsWith('\n200')) return undefined;
      return REFUSED[id] !== undefined && output.includes(`"${REFUSED[id]}"`) ? undefined : `${source}\n${output}`;
    });
    assert.is(faults.join('\n\n'), '');
  });

  test('those of the command line run', async ({ world }) => {
    const faults = await runAll(world, 'CLI', async (source, { id, isStream }) => {
      const { code, output } = await world.terminal.run(isStream ? `timeout 3 ${source}` : source);
      if (code === (isStream ? 124 : 0)) return undefined;
      return REFUSED[id] !== undefined && output.includes(REFUSED[id]) ? undefined : `${source}\n${output}`;
    });
    assert.is(faults.join('\n\n'), '');
  });

  test('those for TypeScript are valid for the types of the package, and run', async ({ world }) => {
    const { folder } = world;
    const config = {
      compilerOptions: {
        ...{ target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: false, types: ['node'] },
        ...{ outDir: 'compiled', rootDir: '.', noEmitOnError: true },
      },
      include: ['*.mts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    for (const { id, samples } of world.operations) writeFileSync(join(folder, `${id}.mts`), samples.TypeScript ?? '');
    const tsc = await world.terminal.run(`node ${join(ROOT, 'node_modules/typescript/lib/tsc.js')} -p .`);
    assert.is(tsc.output, '');
    const faults = await runAll(world, 'TypeScript', async (source, { id, isStream }) => {
      if (isStream) return undefined;
      // Types do not change what runs: the sample is its own program.
      writeFileSync(join(folder, `run-${id}.mjs`), source);
      const { code, output } = await world.terminal.run(`node run-${id}.mjs`);
      if (code === 0) return undefined;
      return REFUSED[id] !== undefined && output.includes(REFUSED[id]) ? undefined : `${source}\n${output}`;
    });
    assert.is(faults.join('\n\n'), '');
  });

  test.run();
}
