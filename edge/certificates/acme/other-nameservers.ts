/**
 * Waits until the zone's nameservers on other machines, its secondaries, serve the challenges of an
 * order. A client should not request a validation before it expects it to succeed (RFC 8555 section
 * 8.2), and the authority may ask any of them. Like lego and cert-manager, it asks each nameserver
 * directly.
 */
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../core/base/log/index.ts';
import { type NotifyTarget, parseNotifyTarget } from '../../../core/config/index.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { formatAddress, mayConnect, parseAddress } from '../../../core/net/address/index.ts';
import type { Server } from '../../../core/net/resolver/exchange.ts';
import { queryServer } from '../../../core/net/resolver/query.ts';
import { type AcmeChallenge, ALSO_NOTIFY, type Domain } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import { type ChallengeSet, challengeSets } from '../../../core/zone/compile/challenged.ts';
import type { ZoneSettings } from '../../../core/zone/compile/settings.ts';
import type { PublicDns } from './public-dns.ts';
import { notTransferred } from './sentences.ts';
import { hostNameOf } from './zone-facts.ts';

/** Milliseconds for which an order waits. NOTIFY is repeated for as long. */
const LIMIT_MS = 120_000;
/** Milliseconds before the second query of a server. Each further delay is twice as long. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8000;
/** Maximum nameservers of a zone, and addresses of each; real zones have at most 13. */
const MAX_HOSTS = 16;
const MAX_ADDRESSES = 4;
/** Queries without a useful response, after which a server is no longer waited for. */
const MAX_SILENT = 2;
/** Failed orders after which the authority is asked although a nameserver is behind. */
const PATIENT_ORDERS = 3;

interface OtherNameserver extends Server {
  /** Its host name in the zone's NS records; null: it only gets NOTIFY. */
  readonly host: string | null;
}

interface OtherNameserversOptions {
  readonly reader: Pick<StoreReader, 'zoneLabels'>;
  readonly zoneSettings: Pick<ZoneSettings, 'cluster'>;
  /** Secondaries of all zones. */
  readonly notified: readonly NotifyTarget[];
  readonly dns: PublicDns;
  readonly log: Logger;
  /** For tests: aborts when the time of an order has passed. */
  readonly limit?: () => AbortSignal;
}

interface Wait {
  readonly domain: Domain;
  /** Host names of the zone's nameservers, ours among them. */
  readonly hosts: readonly string[];
  readonly challenges: readonly Omit<AcmeChallenge, 'domainId'>[];
  /** Failed orders since the last certificate. */
  readonly failures: number;
  readonly signal: AbortSignal;
}

export class OtherNameservers {
  constructor(private readonly options: OtherNameserversOptions) {}

  /**
   * Resolves when all of them that respond serve the challenges, or when earlier orders have waited
   * in vain. Rejects with OrderFailure `not_transferred`, or with the reason of the signal.
   */
  async untilServed({ domain, hosts, challenges, failures, signal }: Wait): Promise<void> {
    const { log, limit: startLimit = () => AbortSignal.timeout(LIMIT_MS) } = this.options;
    // All challenges are in one version of the zone, which a transfer replaces as a whole.
    const [set] = challengeSets(
      domain.apex,
      challenges.map((challenge) => ({ ...challenge, domainId: domain.id })),
    );
    if (set === undefined) return;
    const servers = await this.#find(domain, hosts);
    signal.throwIfAborted();
    const limit = AbortSignal.any([signal, startLimit()]);
    const fields = { domain: hostNameOf(domain.apex), record: hostNameOf(set.name) };
    const onBehind = (server: OtherNameserver): void =>
      log.info('waiting for a nameserver to transfer the challenge', { ...fields, nameserver: titleOf(server) });
    const isServing = await Promise.all(servers.map((server) => untilServing(server, set, limit, onBehind)));
    signal.throwIfAborted();
    const behind = servers.filter((_, i) => !isServing[i]);
    if (behind.length === 0) return;
    const titles = behind.map(titleOf).join(', ');
    // Resolvers do not find a secondary that is in no NS record.
    const listed = behind.filter(({ host }) => host !== null);
    if (listed.length > 0 && failures < PATIENT_ORDERS)
      throw notTransferred([...new Set(listed.map(({ host }) => host!))], fields.record, titles);
    log.warn('a nameserver has not transferred the challenge; validating without it', {
      ...fields,
      nameservers: titles,
    });
  }

  /**
   * Public addresses of the nameservers, and those that get NOTIFY, which may be private and have
   * another port. Not those of this service. Never rejects.
   */
  async #find(domain: Domain, hosts: readonly string[]): Promise<readonly OtherNameserver[]> {
    const { reader, zoneSettings, dns, notified: common } = this.options;
    const { cluster } = zoneSettings;
    const also = reader.zoneLabels(domain.id).metadata[ALSO_NOTIFY] ?? [];
    const notified = [...common, ...also.flatMap((text) => parseNotifyTarget(text) ?? [])].slice(0, MAX_HOSTS);
    const cards = Object.values(networkInterfaces()).flatMap((card) => card?.map(({ address }) => address) ?? []);
    const own = new Set([...cluster.ipv4, ...cluster.ipv6, ...cards]);
    const resolved = await Promise.all(
      hosts.slice(0, MAX_HOSTS).map(async (host) => {
        const addresses = await dns.addresses(host).catch(() => []);
        return addresses.slice(0, MAX_ADDRESSES).map((address) => ({ host, address }));
      }),
    );
    const found = new Map<string, OtherNameserver>();
    for (const { host, address } of resolved.flat()) {
      const bytes = parseAddress(address);
      if (bytes === undefined) continue;
      const canonical = formatAddress(bytes);
      const known = notified.filter((target) => target.address === canonical);
      for (const { port } of known) found.set(`${canonical} ${port}`, { host, address: canonical, port });
      if (known.length === 0 && mayConnect(bytes).public && !own.has(canonical))
        found.set(`${canonical} 53`, { host, address: canonical, port: 53 });
    }
    for (const { address, port } of notified)
      if (!found.has(`${address} ${port}`)) found.set(`${address} ${port}`, { host: null, address, port });
    return [...found.values()];
  }
}

/**
 * False: the limit has passed, and the server still serves the zone without the challenges. True
 * also if it does not respond as a server of the zone: resolvers then ask another one.
 */
async function untilServing(
  server: OtherNameserver,
  set: ChallengeSet,
  limit: AbortSignal,
  onBehind: (server: OtherNameserver) => void,
): Promise<boolean> {
  let isBehind = false;
  let silent = 0;
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
    const state = await ask(server, set, limit);
    if (limit.aborted) return !isBehind;
    if (state === 'serving' || (state === 'silent' && ++silent === MAX_SILENT)) return true;
    if (state === 'behind') {
      silent = 0;
      if (!isBehind) onBehind(server);
      isBehind = true;
    }
    await sleep(delay, undefined, { signal: limit }).catch(() => {});
  }
}

async function ask(
  server: Server,
  { name, rdatas }: ChallengeSet,
  signal: AbortSignal,
): Promise<'serving' | 'behind' | 'silent'> {
  const reply = await queryServer(server, name, TYPE.TXT, { isRecursive: false, signal }).catch(() => null);
  const { rcode } = reply ?? {};
  if (reply?.isAuthoritative !== true || (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN)) return 'silent';
  const isServed = (rdata: Uint8Array): boolean =>
    reply.answer.some((record) => record.type === TYPE.TXT && Buffer.compare(record.rdata, rdata) === 0);
  return rdatas.every(isServed) ? 'serving' : 'behind';
}

function titleOf({ host, address, port }: OtherNameserver): string {
  const at = port === 53 ? address : `${address} port ${port}`;
  return host === null ? at : `${host} (${at})`;
}
