/**
 * This node among the others: it says how far it is, hears how far they are, and waits for them.
 */

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
import { Joining } from './joining.ts';
import { keyPrintOf } from './key-print.ts';
import { readKnownNodes, writeKnownNodes } from './known-nodes.ts';
import type { Member, Members } from './members.ts';
import { Membership } from './membership.ts';
import { printsOf } from './own-certificates.ts';
import { USAGE_LEVEL } from './peer-link.ts';
import { type OwnLogState, ownLogReader, peerLogReader } from './peer-logs.ts';
import { type Answers, collectAnswers } from './peer-read.ts';
import {
  type ClusterRuleCounts,
  type OwnRuleCounts,
  ownRuleCountsReader,
  peerRuleCountsReader,
  readRuleCounts,
} from './peer-rule-counts.ts';
import { PeerServer } from './peer-server.ts';
import { type ClusterStatistics, ownReader, peerReader, type ReadOwn, readAll } from './peer-statistics.ts';
import type { PeerTls } from './peer-tls.ts';
import { PeerWatch } from './peer-watch.ts';
import type { SnapshotSender } from './snapshot.ts';

/** Between the nodes: what requests have used of rate limits. Messages that are lost stay lost. */
export interface UsageChannel {
  /** Nodes that receive what is sent now. */
  countReceivers(): number;
  send(usage: Buffer): void;
  /** Calls `listener`, only the last one, with what another node has sent. */
  follow(listener: (usage: Buffer) => void): void;
}

/** The clock of this node, and what it learns of those of others: core/journal/clock/guard.ts. */
export interface NodeClock {
  readonly isTrusted: boolean;
  /** `time`: milliseconds since 1970. */
  noteReference(name: string, time: number): void;
  forgetReference(name: string): void;
}

export interface ClusterOptions {
  readonly gateway: EtcdGateway;
  /** Of all keys in etcd; ends with a slash. */
  readonly prefix: string;
  /** Of this node: its name, how others reach it (port 0: the one it listens at), its version. */
  readonly self: Member;
  readonly listen: { readonly address: string; readonly port: number };
  readonly tls: PeerTls;
  /** Milliseconds that a write waits for other nodes. */
  readonly deadline: number;
  /** Of the data folder: see Membership. */
  readonly id: string;
  /** This node is no member any more; null: it is one again. */
  readonly onRefused: (error: StateError | null) => void;
  /** What is damaged in etcd now: reasons by key. */
  readonly onDamage?: (damaged: ReadonlyMap<string, string>) => void;
  /** Milliseconds between words that this node is there. */
  readonly interval: number;
  readonly log: Logger;
  /** Of the last entry that is applied here. */
  head(): number;
  readonly snapshots: SnapshotSender;
  /** The file of the nodes that are known. */
  readonly knownNodes: string;
  /** Another node has said how far it is. */
  readonly onHeard?: () => void;
  /** `others` may have changed. */
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
  readonly #options: ClusterOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #server: PeerServer;
  readonly #watches = new Map<string, PeerWatch>();
  /** By name, since a node that comes back may be heard at another address. */
  readonly #heard = new Map<string, FaultLog>();
  readonly #joining: Joining;
  #membership: Membership | null = null;
  /** Who belongs to the cluster, as it was looked up last; null: that is not known. */
  #known: ReadonlyMap<string, Member> | null = null;
  /** Entries without a key count: a version before KEY_LEVEL may be a member. */
  #acceptsNames = true;
  /** When another node was heard last, in the time of performance.now(); null: none was. */
  heardAt: number | null = null;
  /** Why the members could not be read from etcd the last time; null: they could. */
  trouble: unknown = null;
  isServing = false;
  #onUsage: (usage: Buffer) => void = () => {};
  /** Nodes whose clocks are not trusted, as they report. */
  readonly #withoutTime = new Set<string>();
  /** When each node was heard last: Unix time in seconds, by name. */
  readonly #heardTimes = new Map<string, number>();

  constructor(options: ClusterOptions) {
    const { self, deadline } = options;
    this.#options = options;
    this.#acknowledgements = new Acknowledgements(self.name, deadline);
    this.#joining = new Joining(self.name);
    this.#server = new PeerServer({
      ...options,
      members: () => this.#known?.values() ?? [],
      knowsUsage: (node) => (this.#known?.get(node)?.level ?? 0) >= USAGE_LEVEL,
      memberOf: (certificate) => memberWith(certificate, this.#known?.values() ?? [], this.#acceptsNames),
    });
  }

  /**
   * Listens, and makes itself known; others do not wait for it before `serving`. Rejects with the
   * error of the socket, and with StateError when it cannot be a member.
   */
  async join(): Promise<void> {
    const { gateway, prefix, self, tls, id, interval, log, onRefused, onDamage } = this.#options;
    const port = await this.#server.listen();
    const lookedUp = new FaultLog(
      log,
      'cannot read the members of the cluster from etcd',
      'reading the members of the cluster works again',
    );
    const before = readKnownNodes(this.#options.knownNodes);
    if (before.size > 0) this.#changed({ nodes: before, live: new Set(), agreedLevel: null });
    this.#membership = new Membership({
      gateway,
      prefix,
      id,
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
        this.#changed(members);
        this.#joining.changed(members);
        this.#keep(members);
        this.#options.onMembers?.(members);
      },
      onTrouble: (error) => {
        this.trouble = error;
        lookedUp.report(error);
      },
    });
    await this.#membership.start();
    this.applied();
  }

  /** The options' `tls` has other contents now. */
  certificatesChanged(): void {
    const { tls } = this.#options;
    this.#server.certificatesChanged();
    this.#membership?.certificatesChanged({ certificate: tls.certificate, trusts: printsOf(tls.ca) });
  }

  /** Whether this node is caught up, so that writes are to wait for it. */
  async serving(isServing: boolean): Promise<void> {
    this.isServing = isServing;
    await this.#membership?.serving(isServing);
  }

  get members(): Members | null {
    return this.#membership?.members ?? null;
  }

  /** What the nodes can store. */
  get level(): ClusterLevel {
    return { agreed: this.members?.agreedLevel ?? null, nodes: () => this.known.values() };
  }

  /** All nodes of the cluster as far as they are known, by name, this one included. */
  get known(): ReadonlyMap<string, Member> {
    const { self } = this.#options;
    return new Map([[self.name, self], ...(this.#known ?? [])]);
  }

  /** What another node has applied, and when it was heard last in Unix time. */
  lastHeard(name: string): { readonly applied: number; readonly at: number } | undefined {
    const at = this.#heardTimes.get(name);
    const peer = this.#acknowledgements.state.get(name);
    return at === undefined || peer === undefined ? undefined : { applied: peer.applied, at };
  }

  /** Something was applied here. */
  applied(): void {
    this.#acknowledgements.applied(this.#options.self.name, this.#options.head());
    this.#server.applied();
  }

  /** Resolves when every node that is there has applied it, or the deadline has passed. */
  wait(sequence: number): Promise<Sync> {
    return this.#acknowledgements.wait(sequence);
  }

  /**
   * Resolves when every node that is there has applied it, also past the deadline; at the latest
   * with the signal, or `close`.
   */
  everyone(sequence: number, signal?: AbortSignal): Promise<void> {
    return this.#acknowledgements.everyone(sequence, signal);
  }

  of(sequence: number): Sync {
    return this.#acknowledgements.of(sequence);
  }

  /** The last entry that any other node is known to have applied; 0: nothing is. */
  get furthest(): number {
    return Math.max(0, ...[...this.#acknowledgements.state.values()].map(({ applied }) => applied));
  }

  /** No other node belongs to the cluster, as far as is known. */
  get isOnly(): boolean {
    return this.#known?.size === 1 && this.#known.has(this.#options.self.name);
  }

  /** Other nodes that are caught up. */
  get others(): readonly Member[] {
    const { nodes = new Map<string, Member>(), live = new Set<string>() } = this.members ?? {};
    return [...nodes.values()].filter(({ name }) => live.has(name) && name !== this.#options.self.name);
  }

  /** Other nodes that are caught up and write: their clocks are trusted. */
  get #writers(): readonly Member[] {
    return this.others.filter(({ name }) => !this.#withoutTime.has(name));
  }

  /** Whether this node is caught up and writes. */
  get #isWriter(): boolean {
    return this.isServing && this.#options.clock?.isTrusted !== false;
  }

  /** The one that appends for all while several write: the first by name. Null: this node. */
  get sequencer(): Member | null {
    const { name } = this.#options.self;
    const [first = null] = this.#writers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return first === null || (this.#isWriter && name < first.name) ? null : first;
  }

  /**
   * Hands commits to another node. Resolves with its answer. Rejects when none came: it may have
   * taken them or not.
   */
  async forward({ name }: Member, commits: Buffer): Promise<Buffer> {
    const watch = this.#watches.get(name);
    if (watch === undefined) throw new Error(`${name} is not a known node`);
    return await watch.forward(commits);
  }

  /** The statistics of all nodes of the cluster. Never rejects. */
  readStatistics(query: StatisticsQuery): Promise<ClusterStatistics> {
    const { self, tls, readStatistics } = this.#options;
    const peers = this.#peers.map((peer) => peerReader(peer, tls));
    return readAll(query, [ownReader(self.name, readStatistics), ...peers]);
  }

  /** The states of a domain's logs on all nodes. Never rejects. */
  readLogStates(domainId: number): Promise<Answers<NodeLogState>> {
    const { self, tls, logStateOf } = this.#options;
    const peers = this.#peers.map((peer) => peerLogReader(peer, tls, domainId));
    return collectAnswers([ownLogReader(self.name, logStateOf, domainId), ...peers]);
  }

  /** The counters of a domain's rules, added up over all nodes. Never rejects. */
  readRuleCounts(domainId: number, revision: number): Promise<ClusterRuleCounts> {
    const { self, tls, ruleCountsOf } = this.#options;
    const peers = this.#peers.map((peer) => peerRuleCountsReader(peer, tls, domainId, revision));
    return readRuleCounts([ownRuleCountsReader(self.name, ruleCountsOf, domainId, revision), ...peers]);
  }

  /** All other nodes of the cluster, also those that do not answer. */
  get #peers(): readonly Member[] {
    return [...(this.#known?.values() ?? [])].filter(({ name }) => name !== this.#options.self.name);
  }

  /** Sends other nodes what requests to this one have used of rate limits, and receives theirs. */
  readonly usage: UsageChannel = {
    countReceivers: () => this.#server.countReceivers(),
    send: (usage) => this.#server.sendUsage(usage),
    follow: (listener) => {
      this.#onUsage = listener;
    },
  };

  /** Whether this node serves and writes, and is the first by name of those that do. */
  get isFirst(): boolean {
    const { name } = this.#options.self;
    return this.#isWriter && !this.#writers.some((other) => other.name < name);
  }

  /** The same among the nodes of its region. */
  get isFirstOfRegion(): boolean {
    const { name, region = '' } = this.#options.self;
    return this.#isWriter && !this.#writers.some((other) => (other.region ?? '') === region && other.name < name);
  }

  /**
   * What every node that is there has applied, when this one is the one to tidy up after all; else
   * 0.
   */
  get settled(): number {
    if (!this.isFirst) return 0;
    const others = this.others.map((member) => member.name);
    return Math.min(
      this.#options.head(),
      ...others.map((other) => this.#acknowledgements.state.get(other)?.applied ?? 0),
    );
  }

  /** Whether the log is to be kept longer, for a node that is not caught up. */
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
    const { clock } = this.#options;
    if (isTrusted) {
      this.#withoutTime.delete(peer);
      clock?.noteReference(peer, time);
    } else {
      this.#withoutTime.add(peer);
      clock?.forgetReference(peer);
    }
  }

  #keep({ nodes }: Members): void {
    const { knownNodes: file, log } = this.#options;
    try {
      writeKnownNodes(file, nodes.values());
    } catch (error) {
      log.warn('cannot store the known nodes; after a start without etcd, this node cannot connect to them', {
        file,
        error,
      });
    }
  }

  #changed(members: Pick<Members, 'live' | 'agreedLevel'> & { readonly nodes: ReadonlyMap<string, Member> }): void {
    const { self, tls, log } = this.#options;
    const { nodes, live, agreedLevel } = members;
    this.#known = nodes;
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
      const heard =
        this.#heard.get(name) ?? new FaultLog(log, 'node unreachable', 'node reachable again', { node: name });
      this.#heard.set(name, heard);
      const watch = new PeerWatch(member, {
        tls,
        onApplied: (peer, sequence) => {
          this.heardAt = performance.now();
          this.#heardTimes.set(peer, Math.floor(Date.now() / 1000));
          this.#acknowledgements.applied(peer, sequence);
          this.#options.onHeard?.();
        },
        onClock: (peer, time, isTrusted) => this.#noteClock(peer, time, isTrusted),
        onUsage: (usage) => this.#onUsage(usage),
        onTrouble: (error) => heard.report(error),
      });
      this.#watches.set(name, watch);
    }
  }
}
