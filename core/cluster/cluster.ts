/** This node in the cluster: exchanges applied sequences with its peers and waits for them. */

import type { StateError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import { FaultLog } from '../base/log/throttle.ts';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { type ClusterLevel, KEY_LEVEL } from '../journal/feature-level.ts';
import type { StatisticsQuery } from '../observe/statistics/query.ts';
import type { WatchRequests } from '../observe/tail/request-tail.ts';
import type { NodeLogState } from '../site/logs/deliverer.ts';
import { Acknowledgements, type Sync } from './acknowledgements.ts';
import { memberWith } from './admission.ts';
import type { BlobStore } from './blobs/store.ts';
import { Joining, type Member, type Members, readKnownNodes, writeKnownNodes } from './members.ts';
import { Membership } from './membership.ts';
import { printsOf } from './own-certificates.ts';
import { USAGE_LEVEL } from './peer-link.ts';
import {
  type Answers,
  type ClusterRuleCounts,
  type ClusterStatistics,
  collectAnswers,
  type OwnLogState,
  type OwnRuleCounts,
  ownLogReader,
  ownReader,
  ownRuleCountsReader,
  peerLogReader,
  peerReader,
  peerRuleCountsReader,
  type ReadOwn,
  readAll,
  readRuleCounts,
} from './peer-queries.ts';
import { PeerServer } from './peer-server.ts';
import { keyPrintOf, type PeerTls } from './peer-tls.ts';
import { PeerWatch } from './peer-watch.ts';
import type { SnapshotSender } from './snapshot.ts';

/** Channel for the usage of rate limits between nodes. Lost messages are not sent again. */
export interface UsageChannel {
  /** Number of nodes that receive messages now. */
  countReceivers(): number;
  send(usage: Buffer): void;
  /** Calls `listener` with each message of another node. A later call replaces the listener. */
  follow(listener: (usage: Buffer) => void): void;
}

/** The clock of this node, compared with the clocks of other nodes: core/journal/clock/guard.ts. */
export interface NodeClock {
  readonly isTrusted: boolean;
  /** `time`: milliseconds since 1970. */
  noteReference(name: string, time: number): void;
  forgetReference(name: string): void;
}

export interface ClusterOptions {
  readonly gateway: EtcdGateway;
  /** Prefix of all keys in etcd; ends with a slash. */
  readonly prefix: string;
  /** This node. Port 0 in `address` is replaced by the port that it listens at. */
  readonly self: Member;
  readonly listen: { readonly address: string; readonly port: number };
  readonly tls: PeerTls;
  /** Milliseconds that a write waits for other nodes. */
  readonly deadline: number;
  /** Id of the data folder: see Membership. */
  readonly id: string;
  /** Id of the "waypost cluster join" of this node: see Membership. */
  readonly join?: string | null;
  /** Called when this node is no longer a member. Null: it is a member again. */
  readonly onRefused: (error: StateError | null) => void;
  /** Called with the damaged values in etcd: reasons by key. */
  readonly onDamage?: (damaged: ReadonlyMap<string, string>) => void;
  /** Heartbeat interval in milliseconds. */
  readonly interval: number;
  readonly log: Logger;
  /** Sequence of the last entry that this node has applied. */
  head(): number;
  /** Sequence of the last entry whose answers this node serves; omitted: as `head`. */
  served?(): number;
  readonly snapshots: SnapshotSender;
  /** File that stores the known nodes. */
  readonly knownNodes: string;
  /** Called when a peer has reported its applied sequence. */
  readonly onReport?: () => void;
  /** Called when `others` may have changed. */
  readonly onMembers?: (members: Members) => void;
  readonly blobs?: BlobStore;
  readonly clock?: NodeClock;
  readonly watchRequests: WatchRequests;
  /** Undefined: this node keeps no statistics. */
  readonly readStatistics?: ReadOwn;
  /** Undefined: this node delivers no logs. */
  readonly logStateOf?: OwnLogState;
  /** Undefined: this node counts no rules. */
  readonly ruleCountsOf?: OwnRuleCounts;
  /** See PeerServerOptions. */
  commit?(node: string, commits: Buffer): Promise<Buffer>;
  /** See PeerServerOptions. */
  report?(): string;
  /** See PeerServerOptions. */
  isOverloaded?(): boolean;
}

export class Cluster {
  readonly #acknowledgements: Acknowledgements;
  readonly #server: PeerServer;
  readonly #watches = new Map<string, PeerWatch>();
  /** By name: a node that returns may have another address. */
  readonly #peerFaults = new Map<string, FaultLog>();
  readonly #joining: Joining;
  #membership: Membership | null = null;
  /** The members of the cluster when they were last read, by name; null: not known. */
  #nodes: ReadonlyMap<string, Member> | null = null;
  /** Accepts members without a recorded key: versions before KEY_LEVEL record none. */
  #acceptsNames = true;
  /** Time of the last report of a peer, by performance.now(); null: none yet. */
  heardAt: number | null = null;
  /** Error of the last read of the members from etcd; null: it succeeded. */
  trouble: unknown = null;
  isServing = false;
  #onUsage: (usage: Buffer) => void = () => {};
  /** Nodes whose clocks are not trusted, as they report. */
  readonly #untrustedClocks = new Set<string>();
  /** Time of each peer's last report: Unix time in seconds, by name. */
  readonly #heardTimes = new Map<string, number>();

  constructor(private readonly options: ClusterOptions) {
    const { self, deadline } = options;
    this.#acknowledgements = new Acknowledgements(self.name, deadline);
    this.#joining = new Joining(self.name);
    this.#server = new PeerServer({
      ...options,
      members: () => this.#nodes?.values() ?? [],
      knowsUsage: (node) => (this.#nodes?.get(node)?.level ?? 0) >= USAGE_LEVEL,
      memberOf: (certificate) => memberWith(certificate, this.#nodes?.values() ?? [], this.#acceptsNames),
    });
  }

  /**
   * Listens and registers this node. Writes wait for it only after `serving(true)`. Rejects with
   * the error of the socket, and with StateError if this node cannot be a member.
   */
  async join(): Promise<void> {
    const { gateway, prefix, self, tls, id, join, interval, log, onRefused, onDamage } = this.options;
    const port = await this.#server.listen();
    const membershipFaults = new FaultLog(
      log,
      'cannot read the members of the cluster from etcd',
      'reading the members of the cluster works again',
    );
    const before = readKnownNodes(this.options.knownNodes);
    if (before.size > 0) this.#applyMembers({ nodes: before, live: new Set(), agreedLevel: null });
    this.#membership = new Membership({
      gateway,
      prefix,
      id,
      join,
      interval,
      onRefused,
      onDamage,
      self: {
        ...self,
        address: self.address.replace(/:0$/, `:${port}`),
        key: keyPrintOf(tls.certificate),
        certificate: tls.certificate,
        trusts: printsOf(tls.ca),
      },
      onChange: (members) => {
        this.#applyMembers(members);
        this.#joining.changed(members);
        this.#storeKnownNodes(members);
        this.options.onMembers?.(members);
      },
      onTrouble: (error) => {
        this.trouble = error;
        membershipFaults.report(error);
      },
    });
    await this.#membership.start();
    this.applied();
  }

  /** Applies the current contents of the options' `tls`. */
  certificatesChanged(): void {
    const { tls } = this.options;
    this.#server.certificatesChanged();
    this.#membership?.certificatesChanged({ certificate: tls.certificate, trusts: printsOf(tls.ca) });
  }

  /** Sets whether this node is caught up, so that writes wait for it. */
  async serving(isServing: boolean): Promise<void> {
    this.isServing = isServing;
    await this.#membership?.serving(isServing);
  }

  get members(): Members | null {
    return this.#membership?.members ?? null;
  }

  /** Feature levels of the cluster, which decide the formats that may be stored. */
  get level(): ClusterLevel {
    return { agreed: this.members?.agreedLevel ?? null, nodes: () => this.known.values() };
  }

  /** All known nodes of the cluster by name, including this node. */
  get known(): ReadonlyMap<string, Member> {
    const { self } = this.options;
    return new Map([[self.name, self], ...(this.#nodes ?? [])]);
  }

  /** The applied sequence that another node last reported, and when in Unix time. */
  lastHeard(name: string): { readonly applied: number; readonly at: number } | undefined {
    const at = this.#heardTimes.get(name);
    const peer = this.#acknowledgements.state.get(name);
    return at === undefined || peer === undefined ? undefined : { applied: peer.applied, at };
  }

  /** Reports the applied sequence of this node. */
  applied(): void {
    this.#acknowledgements.applied(this.options.self.name, this.options.head());
    this.#server.applied();
  }

  /** Resolves when every live node that is not late has applied the entry, or at the deadline. */
  wait(sequence: number): Promise<Sync> {
    return this.#acknowledgements.wait(sequence);
  }

  /**
   * Resolves when every live node has applied the entry, without a deadline. Also resolves when the
   * signal aborts, and on `close`.
   */
  everyone(sequence: number, signal?: AbortSignal): Promise<void> {
    return this.#acknowledgements.everyone(sequence, signal);
  }

  /** Like `everyone`, but for nodes that serve the entry, since a large import is served later. */
  everyoneServes(sequence: number, signal?: AbortSignal): Promise<void> {
    return this.#acknowledgements.everyone(sequence, signal, true);
  }

  of(sequence: number): Sync {
    return this.#acknowledgements.of(sequence);
  }

  /** Highest sequence that another node has reported as applied; 0: none. */
  get furthest(): number {
    return Math.max(0, ...[...this.#acknowledgements.state.values()].map(({ applied }) => applied));
  }

  /** Whether this node is the only known member. */
  get isOnly(): boolean {
    return this.#nodes?.size === 1 && this.#nodes.has(this.options.self.name);
  }

  /** Other live nodes: caught up and serving. */
  get others(): readonly Member[] {
    const { nodes = new Map<string, Member>(), live = new Set<string>() } = this.members ?? {};
    return [...nodes.values()].filter(({ name }) => live.has(name) && name !== this.options.self.name);
  }

  /** Other live nodes that may write: their clocks are trusted. */
  get #writers(): readonly Member[] {
    return this.others.filter(({ name }) => !this.#untrustedClocks.has(name));
  }

  /** Whether this node is caught up and may write. */
  get #isWriter(): boolean {
    return this.isServing && this.options.clock?.isTrusted !== false;
  }

  /** The node that appends for all writers: the first by name. Null: this node. */
  get sequencer(): Member | null {
    const { name } = this.options.self;
    const [first = null] = this.#writers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return first === null || (this.#isWriter && name < first.name) ? null : first;
  }

  /**
   * Forwards commits to another node and resolves with its answer. After a rejection it is unknown
   * whether that node has accepted them.
   */
  async forward({ name }: Member, commits: Buffer): Promise<Buffer> {
    const watch = this.#watches.get(name);
    if (watch === undefined) throw new Error(`${name} is not a known node`);
    return await watch.forward(commits);
  }

  /** The statistics of all nodes of the cluster. Never rejects. */
  readStatistics(query: StatisticsQuery): Promise<ClusterStatistics> {
    const { self, tls, readStatistics } = this.options;
    const peers = this.#peers.map((peer) => peerReader(peer, tls));
    return readAll(query, [ownReader(self.name, readStatistics), ...peers]);
  }

  /** The states of a domain's logs on all nodes. Never rejects. */
  readLogStates(domainId: number): Promise<Answers<NodeLogState>> {
    const { self, tls, logStateOf } = this.options;
    const peers = this.#peers.map((peer) => peerLogReader(peer, tls, domainId));
    return collectAnswers([ownLogReader(self.name, logStateOf, domainId), ...peers]);
  }

  /** The counters of a domain's rules, added up over all nodes. Never rejects. */
  readRuleCounts(domainId: number, revision: number): Promise<ClusterRuleCounts> {
    const { self, tls, ruleCountsOf } = this.options;
    const peers = this.#peers.map((peer) => peerRuleCountsReader(peer, tls, domainId, revision));
    return readRuleCounts([ownRuleCountsReader(self.name, ruleCountsOf, domainId, revision), ...peers]);
  }

  /** All other nodes of the cluster, including unreachable ones. */
  get #peers(): readonly Member[] {
    return [...(this.#nodes?.values() ?? [])].filter(({ name }) => name !== this.options.self.name);
  }

  /** Exchanges the usage of rate limits with the other nodes. */
  readonly usage: UsageChannel = {
    countReceivers: () => this.#server.countReceivers(),
    send: (usage) => this.#server.sendUsage(usage),
    follow: (listener) => {
      this.#onUsage = listener;
    },
  };

  /** Whether this node is the first by name of the nodes that serve and write. */
  get isFirst(): boolean {
    const { name } = this.options.self;
    return this.#isWriter && !this.#writers.some((other) => other.name < name);
  }

  /** The same among the nodes of its region. */
  get isFirstOfRegion(): boolean {
    const { name, region = '' } = this.options.self;
    return this.#isWriter && !this.#writers.some((other) => (other.region ?? '') === region && other.name < name);
  }

  /** Sequence that every live node has applied, if this node compacts the log; else 0. */
  get settled(): number {
    if (!this.isFirst) return 0;
    const others = this.others.map((member) => member.name);
    return Math.min(
      this.options.head(),
      ...others.map((other) => this.#acknowledgements.state.get(other)?.applied ?? 0),
    );
  }

  /** Whether the log keeps more entries, for a node that is catching up. */
  get isBeingJoined(): boolean {
    return this.#joining.isAny();
  }

  async close(): Promise<void> {
    await this.#membership?.stop();
    this.#acknowledgements.close();
    await Promise.all([...this.#watches.values()].map((watch) => watch.stop()));
    await this.#server.close();
  }

  #noteClock(peer: string, time: number, isTrusted: boolean): void {
    const { clock } = this.options;
    if (isTrusted) {
      this.#untrustedClocks.delete(peer);
      clock?.noteReference(peer, time);
    } else {
      this.#untrustedClocks.add(peer);
      clock?.forgetReference(peer);
    }
  }

  #storeKnownNodes({ nodes }: Members): void {
    const { knownNodes: file, log } = this.options;
    try {
      writeKnownNodes(file, nodes.values());
    } catch (error) {
      log.warn('cannot store the known nodes; after a start without etcd, this node cannot connect to them', {
        file,
        error,
      });
    }
  }

  #applyMembers(
    members: Pick<Members, 'live' | 'agreedLevel'> & { readonly nodes: ReadonlyMap<string, Member> },
  ): void {
    const { self, tls, log } = this.options;
    const { nodes, live, agreedLevel } = members;
    this.#nodes = nodes;
    this.#acceptsNames = agreedLevel === null || agreedLevel < KEY_LEVEL;
    this.#server.membersChanged();
    for (const [name, watch] of this.#watches) {
      const member = nodes.get(name);
      if (member?.address === watch.member.address && member.key === watch.member.key) continue;
      this.#watches.delete(name);
      watch.stop();
    }
    this.#acknowledgements.setMembers(nodes.keys(), live);
    for (const name of this.#heardTimes.keys()) if (!nodes.has(name)) this.#heardTimes.delete(name);
    for (const [name, member] of nodes) {
      if (name === self.name || this.#watches.has(name)) continue;
      const peerFault =
        this.#peerFaults.get(name) ?? new FaultLog(log, 'node unreachable', 'node reachable again', { node: name });
      this.#peerFaults.set(name, peerFault);
      const watch = new PeerWatch(member, {
        tls,
        onApplied: (peer, sequence, served) => {
          this.heardAt = performance.now();
          this.#heardTimes.set(peer, Math.floor(Date.now() / 1000));
          this.#acknowledgements.applied(peer, sequence, served);
          this.options.onReport?.();
        },
        onClock: (peer, time, isTrusted) => this.#noteClock(peer, time, isTrusted),
        onUsage: (usage) => this.#onUsage(usage),
        onTrouble: (error) => peerFault.report(error),
      });
      this.#watches.set(name, watch);
    }
  }
}
