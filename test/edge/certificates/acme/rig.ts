/**
 * Automatic certificates in this process: a store, the nameserver over it on a real socket, and
 * one or more managers. What the API writes is written by hand.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../../../core/base/log/index.ts';
import { Registry } from '../../../../core/base/metrics/index.ts';
import { openSecrets, type Secrets } from '../../../../core/base/secrets.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import { startNameserver } from '../../../../core/nameserver/nameserver.ts';
import { openEnvironment } from '../../../../core/store/environment.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import {
  type Domain,
  domains,
  type ProxyConfig,
  proxies,
  type RecordRow,
  records,
} from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { type Acme, type AcmeOptions, createAcme } from '../../../../edge/certificates/acme/acme.ts';
import type { PublicDns } from '../../../../edge/certificates/acme/public-dns.ts';
import { addressRecord, DEFAULTS, newDomain, newProxy, type Store } from '../../../core/journal/fixture.ts';
import { LIMITS, V4 } from '../../../core/nameserver/fixture.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

export const SETTINGS: AcmeOptions['config']['acme'] = {
  directory: undefined,
  agreeTos: true,
  email: undefined,
  eabKid: undefined,
  eabHmacKey: undefined,
  fallbackDirectory: undefined,
  fallbackEabKid: undefined,
  fallbackEabHmacKey: undefined,
  fallbackCaaIdentities: [],
  caFile: undefined,
  resolvers: [],
  caaIdentities: [],
  keyType: 'ecdsa-p256',
  alsoRsa: false,
  profile: undefined,
  preferredChain: undefined,
  concurrentOrders: 4,
};

/** The public DNS, in which all is delegated to us and nothing has CAA. */
export const DELEGATED: PublicDns = {
  nameservers: async () => ['ns1.waypost.test', 'ns2.waypost.test'],
  caa: async () => [],
  addresses: async () => [],
};

/** The edge is on this machine. */
const ZONES = { ...DEFAULTS, cluster: { ipv4: ['127.0.0.1'], ipv6: [] } };

type Settings = Partial<typeof SETTINGS>;

export class Rig {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly metrics: Registry[] = [];
  readonly dnsPort: number;
  /** Lines that were logged. */
  readonly log: string[] = [];
  /** Seconds that the managers' clock is ahead. */
  ahead = 0;
  dns: PublicDns = DELEGATED;
  readonly #managers = new Set<Acme>();
  readonly #end: () => Promise<void>;

  private constructor(store: Store, secrets: Secrets, dnsPort: number, end: () => Promise<void>) {
    this.store = store;
    this.secrets = secrets;
    this.dnsPort = dnsPort;
    this.#end = end;
  }

  static async open(): Promise<Rig> {
    const folder = temporaryFolder('acme');
    const environment = openEnvironment(folder);
    const index = new IndexWriter(4 << 20);
    const journal = openEmbeddedJournal({ environment, index, zoneSettings: ZONES, history: 1000 });
    const nameserver = await startNameserver({
      index,
      storeDirectory: folder,
      listen: [V4],
      workers: 1,
      udpPayload: 1232,
      transport: 'auto',
      tcp: LIMITS,
      tasks: singleNodeTasks(),
      log: createLogger({ level: 'error', format: 'text', write: (line) => process.stderr.write(line) }),
    });
    const store = { folder, environment, index, journal, reader: new StoreReader(environment) };
    return new Rig(store, openSecrets(`${folder}/secret.key`), nameserver.listen[0].port, async () => {
      await journal.close();
      await nameserver.stop();
      await environment.close();
      removeFolder(folder);
    });
  }

  /** A manager, begun. `more`: for what the settings do not say. */
  start(settings: Settings, node = 'node-a', more: Partial<AcmeOptions> = {}): Acme {
    const { store, secrets } = this;
    const metrics = new Registry();
    this.metrics.push(metrics);
    const dns: PublicDns = {
      nameservers: (name) => this.dns.nameservers(name),
      caa: (name) => this.dns.caa(name),
      addresses: (host) => this.dns.addresses(host),
    };
    const acme = createAcme({
      ...{ environment: store.environment, journal: store.journal, secrets, metrics, dns },
      config: {
        acme: { ...SETTINGS, ...settings },
        edge: { resolvers: [] } as never,
        nodeName: node,
        transfer: { notify: [] } as never,
      },
      zoneSettings: ZONES,
      tasks: singleNodeTasks(),
      log: createLogger({ level: 'debug', format: 'json', write: (line) => this.log.push(line) }),
      now: () => Date.now() / 1000 + this.ahead,
      served: async () => {},
      ...more,
    });
    acme.start();
    this.#managers.add(acme);
    return acme;
  }

  async stop(acme: Acme): Promise<void> {
    this.#managers.delete(acme);
    await acme.stop();
  }

  /** Resolves when nothing is pending: what the store shows is then logged, too. */
  async untilIdle(acme: Acme): Promise<void> {
    while (!acme.isIdle) await sleep(5);
  }

  /** Stops all managers, and sets the clock right. */
  async reset(): Promise<void> {
    for (const acme of this.#managers) await this.stop(acme);
    this.ahead = 0;
    this.dns = DELEGATED;
  }

  async close(): Promise<void> {
    await this.reset();
    await this.#end();
  }

  /** A domain with an address, its proxy off. */
  async add(apex: string, more: (domain: Domain) => readonly RecordRow[] = () => []): Promise<Domain> {
    const domain = newDomain(`${apex}.`);
    const rows = [addressRecord(domain, '@'), addressRecord(domain, 'www'), ...more(domain)];
    await this.write((draft) => {
      draft.put(domains, domain);
      draft.put(proxies, newProxy(domain, false));
      for (const row of rows) draft.put(records, row);
    });
    return domain;
  }

  /** As the API turns it on and off. */
  toggle(domain: Domain, enabled: boolean): Promise<unknown> {
    return this.change(domain, (row) => ({
      ...row,
      enabled,
      ...(enabled && row.sslStatus === 'none' ? { sslStatus: 'pending', orderRequestedAt: this.seconds() } : {}),
    }));
  }

  /** As POST …/proxy/certificate. */
  ask(domain: Domain): Promise<unknown> {
    return this.change(domain, (row) => ({
      ...row,
      sslStatus: row.sslStatus === 'active' || row.sslStatus === 'renewing' ? 'renewing' : 'pending',
      sslError: null,
      orderRequestedAt: this.seconds(),
    }));
  }

  change(domain: Domain, work: (row: ProxyConfig) => ProxyConfig): Promise<unknown> {
    return this.write((draft) => draft.put(proxies, work(draft.proxy(domain.id)!)));
  }

  write(work: Parameters<typeof write>[3]): Promise<unknown> {
    return write(this.store.environment, this.store.journal, 'test', work);
  }

  proxy(domain: Domain): ProxyConfig {
    return this.store.reader.proxy(domain.id)!;
  }

  seconds(): number {
    return Math.floor(Date.now() / 1000 + this.ahead);
  }

  /**
   * Resolves when the state is this one and no request is open. Throws after `ms` with all that was
   * logged.
   */
  async until(domain: Domain, isThere: (row: ProxyConfig) => boolean, ms = 60_000): Promise<ProxyConfig> {
    for (const deadline = Date.now() + ms; ; await sleep(10)) {
      const row = this.proxy(domain);
      if (isThere(row)) return row;
      if (Date.now() > deadline)
        throw new Error(`still ${JSON.stringify(row)}\n${this.log.join('').split('\n').slice(-40).join('\n')}`);
    }
  }

  untilActive(domain: Domain): Promise<ProxyConfig> {
    return this.until(domain, (row) => row.sslStatus === 'active' && row.orderRequestedAt === null);
  }

  untilError(domain: Domain): Promise<ProxyConfig> {
    return this.until(domain, (row) => row.sslError !== null && row.orderRequestedAt === null);
  }
}
