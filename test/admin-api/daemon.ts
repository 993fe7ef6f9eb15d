/** The admin API over a store in a temporary folder, as main starts it, and a client for it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AdminApi, type AdminApiOptions, createAdminApi } from '../../admin-api/index.ts';
import type { AuditPrograms } from '../../admin-api/miniapp/packages/index.ts';
import type { Resolve } from '../../admin-api/sites/proxy/bounded.ts';
import type { AnswerDns } from '../../admin-api/zones/doh/routes.ts';
import { createLogger } from '../../core/base/log/index.ts';
import { Registry } from '../../core/base/metrics/index.ts';
import { openSecrets } from '../../core/base/secrets.ts';
import { BlobStore } from '../../core/cluster/blobs/store.ts';
import { describeSingleNode } from '../../core/cluster/cluster-state.ts';
import type { ClusterRuleCounts } from '../../core/cluster/peer-queries.ts';
import { accountQuotas, type Config, loadConfig } from '../../core/config/index.ts';
import { Signers } from '../../core/journal/apply/signers.ts';
import { openEmbeddedJournal } from '../../core/journal/embedded-journal.ts';
import { decodeEntry } from '../../core/journal/entry-codec.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { JournalOptions } from '../../core/journal/local-journal.ts';
import { RequestTail } from '../../core/observe/tail/request-tail.ts';
import { type Environment, openEnvironment } from '../../core/store/environment.ts';
import { IndexWriter } from '../../core/store/index/writer.ts';
import { sequenceKey } from '../../core/store/keys.ts';
import { StoreReader } from '../../core/store/store-reader.ts';
import type { FailedLook, ParentNameservers } from '../../core/upkeep/delegation/look.ts';
import type { LookResult } from '../../core/upkeep/signing/parent.ts';
import type { ZoneSettings } from '../../core/zone/compile/settings.ts';
import { singleNodeTasks } from '../support/tasks.ts';
import type { CallOptions } from './call-options.ts';
import { exchange } from './exchange.ts';
import { PROGRAMS } from './miniapp/packages/package.ts';

export const PASSWORD = 'correct horse';
/** The least that argon2 takes. */
const PASSWORD_COST = { memoryCost: 8, timeCost: 1, parallelism: 1 };

export const APEX: ZoneSettings = {
  nameservers: ['ns1.waypost.test', 'ns2.waypost.test'],
  hostmaster: 'hostmaster.waypost.test',
  refresh: 3600,
  retry: 600,
  expire: 1_209_600,
  minimum: 300,
  soaTtl: 3600,
  nsTtl: 86_400,
  cluster: { ipv4: ['192.0.2.80'], ipv6: ['2001:db8::80'] },
};

/** Any JSON, for access to any property: a missing one is undefined. */
export interface Json {
  readonly [key: string]: Json;
}

export const listOf = (value: Json): Json[] => Object.values(value);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** An empty object if the response is not JSON. */
  readonly body: Json;
  readonly text: string;
}

export interface Daemon {
  /** Changes with a restart. */
  readonly url: string;
  readonly environment: Environment;
  readonly journal: Journal;
  /** Requests of the edge, which there is none of. */
  readonly tail: RequestTail;
  /** The compiled answers, which the query path reads. */
  readonly index: IndexWriter;
  readonly api: AdminApi;
  readonly adminToken: string;
  /** Folder of its data. */
  readonly folder: string;
  readonly nodeName: string;
  /** The file with the key that encrypts secrets. */
  readonly keyFile: string;
  /** What the nameservers of any parent zone answer. */
  readonly parent: { look: LookResult; delegation: ParentNameservers | FailedLook };
  /** What rules have matched on all nodes, whichever domain they belong to. */
  readonly rules: { counts: ClusterRuleCounts };
  /** Lines of the log. */
  readonly logged: string[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The number of entries of the journal so far, without leases of ids. */
  writes(): number;
  /** A new account and a token. */
  account(username: string, more?: object): Promise<{ id: number; token: string }>;
  /** Stops the API, and starts another one on the same store. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Parent zones without DS records. */
export const NO_DS: LookResult = {
  ...{ zone: 'example', sets: [[]], ttl: 0, servers: 2, answered: 2, checkedAt: 0 },
};

/** A resolver without queries: no name exists. */
const nowhere: Resolve = async (name) => {
  throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
};

export async function startDaemon(
  transport: 'uws' | 'node' | 'auto' = 'auto',
  settings: Record<string, string> = {},
  resolve: Resolve = nowhere,
  answerDns: (index: IndexWriter, folder: string) => AnswerDns | undefined = () => undefined,
  openJournal: (options: JournalOptions) => Journal | Promise<Journal> = openEmbeddedJournal,
  auditPrograms: AuditPrograms = PROGRAMS,
  /** As in a cluster of several nodes. */
  sync?: AdminApiOptions['sync'],
): Promise<Daemon> {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-api-'));
  const keyFile = join(folder, 'secret.key');
  const environment = openEnvironment(folder);
  const blobs = new BlobStore(join(folder, 'blobs'));
  const index = new IndexWriter(1 << 22);
  const logged: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => void logged.push(line) });
  const config: Config = loadConfig({
    env: {
      WAYPOST_ADMIN_PASSWORD: PASSWORD,
      WAYPOST_ADMIN_TRANSPORT: transport,
      WAYPOST_RATE_LIMIT: '0',
      WAYPOST_WEBHOOKS_MAX_PER_ACCOUNT: '1000',
      WAYPOST_PACKAGES_STORE_RATE_LIMIT: '0',
      WAYPOST_ADMIN_LOGIN_RATE_LIMIT: '0',
      ...settings,
    },
  });
  const isOwnCluster = settings.WAYPOST_CLUSTER_IPV4 !== undefined;
  const zoneSettings = isOwnCluster ? { ...APEX, cluster: config.cluster } : APEX;
  const journal = await openJournal({
    environment,
    index,
    zoneSettings,
    history: 1000,
    signers: new Signers(openSecrets(keyFile)),
    quotaOf: accountQuotas(config, new StoreReader(environment)),
  });
  const parent: Daemon['parent'] = { look: NO_DS, delegation: { zone: 'net', sets: [[]] } };
  const rules: Daemon['rules'] = {
    counts: { sum: { since: null, matched: [], stopped: [] }, answered: [config.nodeName], missing: [] },
  };
  const tail = new RequestTail(config.nodeName);
  const create = (): AdminApi =>
    createAdminApi({
      watchRequests: tail.watch,
      logs: {
        readStates: async () => ({ answers: [], answered: [], missing: [] }),
        test: async () => ({ status: 200, error: null, milliseconds: 1 }),
      },
      readRuleCounts: async () => rules.counts,
      publicParent: { look: async () => parent.look },
      delegation: { look: async () => parent.delegation },
      environment,
      journal,
      tasks: singleNodeTasks(),
      log,
      zoneSettings,
      metrics: new Registry(),
      blobs: { store: blobs, open: (hash) => blobs.open(hash) },
      auditPrograms,
      passwordCost: PASSWORD_COST,
      sync,
      secrets: openSecrets(keyFile),
      config: { ...config, admin: { ...config.admin, listen: { ...config.admin.listen, port: 0 } } },
      describeNodes: async () => describeSingleNode(config.nodeName, '1.2.3', journal.head),
      ready: () => ({ ok: true, reasons: [], warnings: [], cluster: null, backup: null }),
      version: '1.2.3',
      resolve,
      // Traffic of tests stays on this machine.
      openConnection: () => new Socket().destroy(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
      dashboard: fileURLToPath(new URL('../../dashboard', import.meta.url)),
      reference: fileURLToPath(new URL('../../reference', import.meta.url)),
      answerDns: answerDns(index, folder),
    });
  const listen = async (): Promise<string> => `http://127.0.0.1:${(await api.listen()).port}`;
  let api = create();
  await api.ensureAdmin({ show: async () => {}, withdraw: async () => {} });
  let url = await listen();
  let adminToken = '';
  const call: Daemon['call'] = async (method, path, options = {}) => {
    const token = options.token === undefined ? adminToken : options.token;
    const headers: Record<string, string> = { ...options.headers };
    if (token !== null) headers.authorization ??= `Bearer ${token}`;
    if (options.json !== undefined) headers['content-type'] ??= 'application/json';
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const base = options.host === undefined ? url : url.replace('127.0.0.1', options.host);
    const response = await exchange(base + path, method, headers, body);
    const { status, text } = response;
    const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
    return { status, headers: response.headers, body: isJson ? JSON.parse(text) : {}, text };
  };
  const login = async (username: string, password: string): Promise<string> => {
    const json = { login: username, password, name: 'test' };
    const { body } = await call('POST', '/api/v1/auth/token', { token: null, json });
    return String(body.token);
  };
  adminToken = await login('admin', PASSWORD);
  const counted = { next: 0, writes: 0 };
  const countWrites = (): number => {
    for (const { value } of environment.journal.getRange({ start: sequenceKey(counted.next) })) {
      const entry = decodeEntry(value);
      counted.next = entry.sequence + 1;
      if (entry.by !== 'ids') counted.writes++;
    }
    return counted.writes;
  };
  return {
    get url() {
      return url;
    },
    get api() {
      return api;
    },
    environment,
    journal,
    index,
    adminToken,
    folder,
    nodeName: config.nodeName,
    tail,
    keyFile,
    parent,
    rules,
    logged,
    call,
    writes: countWrites,
    async account(username, more = {}) {
      const json = { username, password: `${username} secret`, plan: 'free', ...more };
      const { body } = await call('POST', '/api/v1/accounts', { json });
      return { id: Number(body.account.id), token: await login(username, `${username} secret`) };
    },
    async restart() {
      await api.close();
      api = create();
      url = await listen();
    },
    async stop() {
      await api.close();
      await journal.close();
      await environment.close();
      rmSync(folder, { recursive: true });
    },
  };
}
