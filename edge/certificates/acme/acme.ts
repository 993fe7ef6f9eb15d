/**
 * Automatic certificates (ACME, RFC 8555), on the main thread. They are ordered when a proxy is
 * turned on, and renewed in time, only for names of our configuration. All state is in the store:
 * any node may order, and every node answers challenges and serves the certificates.
 */

import type { Logger } from '../../../core/base/log/index.ts';
import type { Registry } from '../../../core/base/metrics/index.ts';
import type { Secrets } from '../../../core/base/secrets.ts';
import type { Tasks } from '../../../core/base/tasks.ts';
import type { Config, Follow } from '../../../core/config/index.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import { CoveredNames } from '../../../core/site/tls/covered-names.ts';
import { scanProxiedHosts } from '../../../core/site/tls/proxied-hosts.ts';
import type { Environment } from '../../../core/store/environment.ts';
import type { Id } from '../../../core/store/keys.ts';
import { furtherCertificates, rsaCertificates, type SslStatus } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import type { ZoneSettings } from '../../../core/zone/compile/settings.ts';
import { certificateId } from './ari.ts';
import { type Authority, bothFailed, isOwnFailure, openAuthorities } from './authorities.ts';
import { Book, type Claim } from './book.ts';
import type { Self } from './decide.ts';
import { obtain } from './obtain.ts';
import { type OrderObserver, Orders, Pause, type Watched } from './orders.ts';
import { OtherNameservers } from './other-nameservers.ts';
import { checkDelegation, type Plan, planOrder } from './plan.ts';
import type { OrderFailure } from './problem.ts';
import { type PublicDns, publicDns } from './public-dns.ts';
import { addRefusals, describeRefused, replaceableAt, retryOf } from './refused.ts';
import { RenewalPolls } from './renewal-polls.ts';
import { failureOf, notServed } from './sentences.ts';
import { coverageOf, type StoredSituation } from './situation.ts';
import { assignNames, chooseSlot, type HeldCertificate, MAX_ALL_NAMES, slotsWithoutRsa } from './slots.ts';
import { formatSeconds } from './times.ts';
import { openTransport, type Transport } from './transport.ts';
import { hostNameOf, OLDER_NODES, type OwnZoneFacts, ownZoneFacts } from './zone-facts.ts';

/** Buckets in seconds. */
const DURATIONS = [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 240];

const STATUSES: readonly SslStatus[] = ['none', 'pending', 'active', 'renewing', 'error'];

const DAY = 86_400;

/** Metrics of certificates. */
export function orderObserver(registry: Registry): OrderObserver {
  const orders = registry.counter(
    'waypost_acme_orders_total',
    'Orders of certificates by result: issued, cancelled, or why they failed.',
    ['result'],
  );
  const durations = registry.histogram(
    'waypost_acme_order_duration_seconds',
    'Duration of certificate orders that succeeded.',
    [],
    DURATIONS,
  );
  return {
    ended(result, seconds) {
      orders.add(1, result);
      if (result === 'issued') durations.observe(seconds);
    },
  };
}

/** `isOff`: the service orders none, so that a domain without one has no error. */
export function acmeMetrics(
  registry: Registry,
  {
    watched,
    isOff,
    now,
  }: { readonly watched: ReadonlyMap<Id, Watched>; readonly isOff: () => boolean; readonly now: () => number },
): void {
  registry.read('gauge', 'waypost_certificates', 'Domains by the state of their certificate.', ['status'], (emit) => {
    const counts = new Map<SslStatus, number>(STATUSES.map((status) => [status, 0]));
    for (const { status } of watched.values()) counts.set(status, counts.get(status)! + 1);
    for (const [status, count] of counts)
      if (status !== 'none') emit(count, status === 'error' && isOff() ? 'disabled' : status);
  });
  registry.read(
    'gauge',
    'waypost_certificate_nearest_expiry_days',
    'Days until the next of the ordered certificates expires that is served; none: there is none.',
    [],
    (emit) => {
      let nearest = Number.POSITIVE_INFINITY;
      for (const { notAfter, isServed } of watched.values())
        if (notAfter !== null && isServed) nearest = Math.min(nearest, notAfter);
      if (Number.isFinite(nearest)) emit((nearest - now()) / DAY);
    },
  );
}

export interface AcmeOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly config: Pick<Config, 'acme' | 'edge' | 'nodeName' | 'transfer'>;
  readonly zoneSettings: ZoneSettings;
  readonly secrets: Secrets;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly metrics: Registry;
  /** As LiveConfig; omitted: the configuration never changes. */
  readonly follow?: Follow;
  /**
   * Resolves when every live node serves the journal up to this sequence, or when the signal
   * aborts.
   */
  readonly served: (sequence: number, signal: AbortSignal) => Promise<void>;
  /**
   * For tests. `patience`: milliseconds to wait for nodes. `dns`: replaces the public DNS. `now`:
   * seconds since 1970. `random`: 0 ≤ r < 1.
   */
  readonly patience?: number;
  readonly dns?: PublicDns;
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface Acme {
  /** Loads the domains of the store in batches, and orders due certificates. */
  start(): void;
  /** Call it before the journal is closed. The next start resumes pending orders. */
  stop(): Promise<void>;
  /** Nothing is pending or queued. */
  readonly isIdle: boolean;
}

const TOO_MANY = `A domain has certificates for at most ${MAX_ALL_NAMES} names. Use fewer parents of names, since a wildcard covers all names of one.`;

const OFF =
  'This service does not order certificates: its operator has not set acme.directory. Upload your own certificate.';

/**
 * Milliseconds to wait for all nodes to serve a challenge. Longer than the lease after which a
 * silent node no longer counts as live: a node that renews its lease but is unreachable must not
 * block others.
 */
const PATIENCE_MS = 20_000;

/** Throws ConfigError when acme.ca_file cannot be read, and as openAuthorities does. */
export function createAcme(options: AcmeOptions): Acme {
  const { environment, journal, config, zoneSettings, secrets, tasks, log, metrics } = options;
  const { acme, edge, nodeName: node } = config;
  const { now = () => Date.now() / 1000, random = Math.random, patience = PATIENCE_MS, served } = options;
  const reader = new StoreReader(environment);
  const dns = options.dns ?? publicDns(() => (acme.resolvers.length > 0 ? acme.resolvers : edge.resolvers));
  const otherNameservers = new OtherNameservers({ reader, zoneSettings, notified: config.transfer.notify, dns, log });
  const stop = new AbortController();
  /** The last one serves new orders. Those of earlier settings serve the orders in flight. */
  const transports: Transport[] = [];
  const openAll = (): Authority[] => {
    const transport = openTransport(acme.caFile, stop.signal);
    transports.push(transport);
    return openAuthorities(acme, transport, { environment, journal, secrets, log });
  };
  const authorities = openAll();
  const self: Self = {
    node,
    get directories() {
      return authorities.map(({ url }) => url);
    },
    get wantsRsa() {
      return acme.alsoRsa && acme.keyType !== 'rsa-2048' && journal.canStore(rsaCertificates);
    },
  };
  const book = new Book({ environment, journal, secrets, self, now, random });
  /** While the first authority fails for all domains, orders start at the fallback. */
  const rest = new Pause();
  let firstFailure: OrderFailure | null = null;

  /** Orders at the first authority, or at the fallback if the first one fails by itself. */
  async function attempt(claim: Claim, signal: AbortSignal): Promise<object | null> {
    const own = ownZoneFacts(environment, reader, zoneSettings, claim.domain, mayDeepen(claim));
    const facts = { ...own, nameservers: await checkDelegation(own, dns, zoneSettings.nameservers) };
    const [first, fallback] = authorities;
    if (fallback === undefined) return order(first, claim, facts, signal);
    if (firstFailure === null || now() >= rest.until) {
      try {
        const outcome = await order(first, claim, facts, signal);
        firstFailure = null;
        rest.clear();
        return outcome;
      } catch (error) {
        const failure = failureOf(error);
        if (signal.aborted || !isOwnFailure(failure)) throw error;
        firstFailure = failure;
        if (failure.fault === 'directory') rest.note(failure.fault, claim.domain.accountId, now());
        const { code: reason, message: why, detail } = failure;
        log.warn('certificate order failed; ordering from the fallback authority', {
          domain: hostNameOf(claim.domain.apex),
          directory: first.url,
          reason,
          why,
          ...(detail === null ? {} : { detail }),
        });
      }
    }
    try {
      return await order(fallback, claim, facts, signal);
    } catch (error) {
      throw signal.aborted || firstFailure === null ? error : bothFailed(firstFailure, failureOf(error));
    }
  }

  /** The agreed level is unknown after a start, and while its entry is damaged. */
  const mayDeepen = ({ certificates }: Claim): boolean =>
    journal.canStore(furtherCertificates) || certificates.some(({ slot }) => slot > 0);

  async function order(
    { url, directory, identities, profile, preferredChain }: Authority,
    claim: Claim,
    facts: OwnZoneFacts,
    signal: AbortSignal,
  ): Promise<object | null> {
    const { domain, certificates, rsa } = claim;
    const { renewalInfo: hasRenewal } = await directory.meta();
    const issuer = { identities: await identities(), others: identitiesBeside(url) };
    return directory.use(async (session) => {
      const plan = await planOrder(facts, dns, { ...issuer, accountUri: session.accountUrl }, signal);
      signal.throwIfAborted();
      const { slots, choice, state, notice } = choose(claim, plan, mayDeepen(claim));
      if (choice === null) {
        await book.conclude(domain.id, notice, state);
        return null;
      }
      const { slot, isRsa } = choice;
      const replaced = (isRsa ? rsa : certificates).find((certificate) => certificate.slot === slot);
      // An authority knows its own certificates only (RFC 9773 section 5).
      const isReplacedHere = replaced?.directory === url && hasRenewal !== null;
      const obtained = await obtain({
        session,
        apex: facts.apex,
        names: new Map(choice.names.map((name) => [name, plan.names.get(name)!])),
        keyType: isRsa ? 'rsa-2048' : acme.keyType,
        profile,
        preferredChain,
        replaces: isReplacedHere ? certificateId(replaced.chain) : null,
        async publish(challenges) {
          const limit = new AbortController();
          const until = AbortSignal.any([signal, limit.signal]);
          const sequence = await book.publish(domain.id, challenges);
          const timer = setTimeout(() => limit.abort(notServed()), patience);
          await unlessAborted(served(sequence, until), until).finally(() => clearTimeout(timer));
          await otherNameservers.untilServed({
            domain,
            hosts: facts.nameservers,
            challenges,
            failures: claim.failures,
            signal,
          });
        },
        signal,
      });
      if (!(await book.succeed(domain.id, obtained, notice, { ...state, slot, isRsa, directory: url })))
        throw new Error('lost the claim on the order');
      return {
        names: obtained.names,
        ...(slots.length > 1 && { certificate: `${slot + 1} of ${slots.length}` }),
        ...(isRsa && { key: 'rsa' }),
        directory: url,
        expiresAt: formatSeconds(obtained.notAfter),
        ...(notice && { notice }),
      };
    });
  }

  /**
   * The first identity of each other authority, for messages. Orders do not wait for an authority
   * that may be down: its identity is named as soon as it is known.
   */
  function identitiesBeside(url: string): readonly string[] {
    const others = authorities.filter((authority) => authority.url !== url);
    for (const { identities } of others) void identities().catch(() => []);
    return others.flatMap(({ knownIdentities }) => knownIdentities.slice(0, 1));
  }

  /** Selects the certificate to order, and the state of the names that stay without one. */
  function choose(claim: Claim, plan: Plan, isDeep: boolean) {
    const { certificates, rsa, refused, failures, requestedAt } = claim;
    const time = Math.floor(now());
    // A request of the customer retries all names that were refused before it.
    const waiting = refused.filter(
      ({ name, failedAt }) =>
        plan.names.has(name) && failedAt >= (requestedAt ?? 0) && retryOf(name, refused, time) !== null,
    );
    const kept = certificates.filter((certificate) => replaceableAt(certificate, waiting, time) > time);
    const wanted = [...plan.names.keys()].filter(
      (name) => !waiting.some((each) => each.name === name) || kept.some(({ names }) => names.includes(name)),
    );
    const keptSlots = new Set(kept.map(({ slot }) => slot));
    const slots = assignNames(wanted, certificates, isDeep ? undefined : 1, keptSlots);
    const open = slots.filter(({ slot }) => !keptSlots.has(slot));
    const refusals = new Map(plan.refused);
    const assigned = new Set(slots.flatMap(({ names }) => names));
    for (const name of wanted)
      if (!assigned.has(name)) refusals.set(name, isDeep ? TOO_MANY : `It has to wait: ${OLDER_NODES}.`);
    // Refusals of earlier orders count as failures of the names.
    const before = [...waiting, ...refused.filter(({ name }) => refusals.has(name))];
    const stillRefused = addRefusals(before, refusals, time, random());
    const choice = chooseSlot(open, certificates, {
      directories: self.directories,
      failures,
      isRequested: requestedAt !== null,
      withoutRsa: self.wantsRsa ? slotsWithoutRsa(certificates, rsa, time) : new Set(),
      now: time,
    });
    const isObsolete = ({ slot }: HeldCertificate): boolean =>
      slot > 0 && !keptSlots.has(slot) && !slots.some((each) => each.slot === slot);
    const needed = certificates.filter((certificate) => !isObsolete(certificate));
    const covered = CoveredNames.of([...needed.flatMap(({ names }) => names), ...(choice?.names ?? [])]);
    // They stay until the others cover their names.
    const obsolete = wanted.every((name) => covered.covers(name)) ? certificates.filter(isObsolete) : [];
    return {
      slots,
      choice,
      state: { refused: stillRefused, obsolete: obsolete.map(({ slot }) => slot) },
      notice: describeRefused(stillRefused),
    };
  }

  /** Proxied hosts that no certificate covers, up to a limit. */
  async function survey(domainId: Id, { automatic, further }: StoredSituation): Promise<readonly string[]> {
    const domain = reader.domain(domainId);
    if (domain === undefined) return [];
    const covers = coverageOf(automatic, further);
    const uncovered: string[] = [];
    await scanProxiedHosts(
      { environment, zoneSettings },
      domain,
      {
        isWanted: (host) => uncovered.length < MAX_ALL_NAMES && !covers(host),
        visit: (host) => uncovered.push(host),
      },
      stop.signal,
    );
    return uncovered;
  }

  const polls = new RenewalPolls({ authorities, book, log, now, random, signal: stop.signal });

  const orders = new Orders({
    environment,
    reader,
    journal,
    book,
    self,
    tasks,
    log,
    now,
    random,
    attempt,
    survey,
    renewal: (domainId, situation) => polls.fetch(domainId, situation),
    get concurrent() {
      return acme.concurrentOrders;
    },
    observer: orderObserver(metrics),
    get refusal() {
      return authorities.length > 0 ? null : OFF;
    },
  });
  acmeMetrics(metrics, { watched: orders.watched, isOff: () => authorities.length === 0, now });
  options.follow?.(['acme'], () => {
    authorities.splice(0, authorities.length, ...openAll());
    firstFailure = null;
    rest.clear();
    return orders.evaluateAll();
  });

  return {
    start() {
      const [first, fallback] = authorities;
      if (first === undefined) log.info('automatic certificates disabled: acme.directory is not set');
      else
        log.info('automatic certificates enabled', {
          directory: first.url,
          ...(fallback && { fallback: fallback.url }),
        });
      if (first !== undefined && !acme.agreeTos)
        log.warn('acme.agree_tos is not set: a directory with terms of service will reject the account');
      orders.start();
    },
    async stop() {
      stop.abort(new Error('the service is stopping'));
      await orders.stop();
      await Promise.all(transports.map((transport) => transport.close()));
    },
    get isIdle() {
      return orders.isIdle;
    },
  };
}

/** Waits for the work. Rejects with the signal's reason as soon as it aborts. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_done, fail) => {
    abort = () => fail(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
    // The work also resolves on abort, although it is incomplete.
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
