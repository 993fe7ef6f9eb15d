/**
 * This node among the members in etcd: it says of itself that it is there, under a lease, and hears
 * who else is. A name belongs to one process at a time.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StateError } from '../base/errors.ts';
import type { EtcdGateway } from '../etcd/gateway.ts';
import { hasRevision, put, remove, unwrittenSince } from '../etcd/messages.ts';
import { SharedRun } from '../journal/etcd/shared-run.ts';
import { FIRST_LEVEL, risenLevel } from '../journal/feature-level.ts';
import { type ClusterState, keyOf, keysOf, levelKey, type Member, type Members, readMembers } from './members.ts';

export interface MembershipOptions {
  readonly gateway: EtcdGateway;
  /** Of all keys in etcd; ends with a slash. */
  readonly prefix: string;
  readonly self: Member;
  /**
   * Of the data folder. Another process with the same takes this one's place: it is taken to be its
   * restart.
   */
  readonly id: string;
  readonly onChange: (members: Members) => void;
  /**
   * Once, after the start: this node is no member any more, since it was removed or another has its
   * name.
   */
  readonly onRefused: (error: StateError) => void;
  /** etcd cannot be reached; null: it can. */
  readonly onTrouble: (error: unknown) => void;
  /** Milliseconds between words to etcd that this node is there. */
  readonly interval: number;
}

/** Seconds after which a node that says nothing is no longer waited for. */
const LEASE = 5;
/**
 * Milliseconds that a start waits for a name which another node has: that may have ended without a
 * word.
 */
const NAME_MS = 1000 * (LEASE + 3);
/** Of so many words one comes with a look, whatever the watch tells. */
const LOOK_EVERY = 10;

export class Membership {
  readonly #options: MembershipOptions;
  readonly #process = randomBytes(8).toString('hex');
  readonly #stop = new AbortController();
  /** One at a time: each writes what it has found missing. */
  readonly #looks = new SharedRun(() => this.#look());
  #running: Promise<unknown> = Promise.resolve();
  #pause = new AbortController();
  /** The watch has reported something. */
  #isDue = false;
  /** What was seen last may not be so any more. */
  #isStale = false;
  #lease: string | null = null;
  /** This process has had the name. */
  #wasThere = false;
  #isServing = false;
  /** What of it stands in etcd under the lease; null: nothing is known to. */
  #isSaid: boolean | null = null;
  #last = '';
  /** Of the last look. */
  #revision = 0;
  #refused: StateError | null = null;
  members: Members = { nodes: new Map(), live: new Set(), there: new Set(), agreedLevel: null };

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /**
   * Resolves after the first look, goes on by itself, also when etcd cannot be reached. Rejects
   * with StateError `removed` or `name_taken`.
   */
  async start(): Promise<void> {
    const { onTrouble } = this.#options;
    for (const until = performance.now() + NAME_MS; ; await sleep(200)) {
      try {
        await this.#looks.join();
        onTrouble(null);
        break;
      } catch (error) {
        if (!(error instanceof StateError)) {
          onTrouble(error);
          break;
        }
        if (error.code !== 'name_taken' || performance.now() > until) throw error;
      }
    }
    this.#running = Promise.all([this.#run(), this.#watch()]);
  }

  /**
   * This node is caught up: others wait for it from the next look on; or it is not, and they don't.
   */
  async serving(isServing: boolean): Promise<void> {
    this.#isServing = isServing;
    if (this.#refused === null) await this.#looks.join();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
    // One that is pending may yet be given a lease.
    await this.#looks.join().catch(() => {});
    if (this.#lease !== null) await this.#options.gateway.revoke(this.#lease).catch(() => {});
  }

  async #run(): Promise<void> {
    const { interval, onTrouble, onRefused } = this.#options;
    for (let turn = 1; ; turn++) {
      const { signal } = this.#pause;
      if (!this.#isDue && !this.#stop.signal.aborted) await sleep(interval, undefined, { signal }).catch(() => {});
      if (this.#stop.signal.aborted) return;
      try {
        await this.#keepAlive();
        if (this.#isDue || this.#isStale || turn % LOOK_EVERY === 0) await this.#looks.join();
        onTrouble(null);
      } catch (error) {
        this.#rest();
        this.#isStale = true;
        if (!(error instanceof StateError)) onTrouble(error);
        else {
          this.#refused = error;
          this.#stop.abort();
          onRefused(error);
        }
      }
    }
  }

  #rest(): void {
    this.#isDue = false;
    this.#pause = new AbortController();
  }

  #wake(): void {
    this.#isDue = true;
    this.#pause.abort();
  }

  async #watch(): Promise<void> {
    const { gateway, prefix, interval } = this.#options;
    const { signal } = this.#stop;
    const [first, end] = keysOf(prefix);
    while (!signal.aborted) {
      const from = this.#revision + 1;
      await gateway
        .watch(first, end, from, ({ puts, deleted }) => puts.length + deleted.length > 0 && this.#wake(), signal)
        .catch(() => {});
      // Events of the meantime are looked at, and the next one begins there.
      if (!signal.aborted) this.#wake();
      await sleep(interval, undefined, { signal }).catch(() => {});
    }
  }

  async #keepAlive(): Promise<void> {
    if (this.#lease === null || (await this.#options.gateway.keepAlive(this.#lease))) return;
    this.#lease = null;
    this.#isSaid = null;
    this.#isStale = true;
  }

  async #look(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { gateway, prefix, onChange } = this.#options;
    this.#rest();
    let state = await readMembers(gateway, prefix);
    this.#check(state);
    // Another may have been sooner with what this one has read.
    while ((await this.#say(state)) === 'again' || (await this.#agree(state))) {
      state = await readMembers(gateway, prefix);
      this.#check(state);
    }
    const { nodes, live, there, agreedLevel, revision } = state;
    this.#revision = revision;
    this.#isStale = false;
    const text = JSON.stringify([[...nodes.values()], [...live], [...there], agreedLevel]);
    if (text === this.#last) return;
    this.#last = text;
    this.members = { nodes, live, there, agreedLevel };
    onChange(this.members);
  }

  /** Throws StateError when this process is no member, and can be none. */
  #check({ removed, sessions, nodes, agreedLevel }: ClusterState): void {
    const { id, self } = this.#options;
    if (removed.has(id))
      throw new StateError(
        'removed',
        `This node was removed from the cluster. To add it again, move its data folder away, run "waypost cluster invite ${self.name}" on the first node, and "waypost cluster join" here.`,
      );
    const { level = FIRST_LEVEL } = self;
    if (level < agreedLevel)
      throw new StateError(
        'feature_level',
        `This node has version ${self.version}, which cannot read what the cluster writes (feature level ${level}, agreed ${agreedLevel}). Install the version of the other nodes: ${[...new Set([...nodes.values()].map((member) => member.version))].join(', ')}.`,
      );
    const session = sessions.get(self.name);
    if (session === undefined || session.process === this.#process) return;
    if (session.id === id && !this.#wasThere) return;
    throw new StateError(
      'name_taken',
      `Another node of the cluster is also called ${self.name} (${nodes.get(self.name)?.address}). Use a unique WAYPOST_NODE_NAME for each node, with an invitation for that name.`,
    );
  }

  /** Raises the agreed level if every member has a higher one. True: look again. */
  async #agree({ nodes, agreedLevel, levelRevision, revision }: ClusterState): Promise<boolean> {
    const { gateway, prefix } = this.#options;
    const risen = risenLevel(
      agreedLevel,
      [...nodes.values()].map(({ level = FIRST_LEVEL }) => level),
    );
    if (risen === null) return false;
    const [members, end] = keysOf(prefix, 'member');
    const key = levelKey(prefix);
    await gateway.transaction(
      [unwrittenSince(members, end, revision), hasRevision(key, levelRevision)],
      [put(key, Buffer.from(String(risen)))],
    );
    return true;
  }

  /**
   * Writes what this node is, unless it stands there already: etcd keeps every version. When it
   * has, or was not the first, it is to be looked again.
   */
  async #say({ nodes, sessions, revision }: ClusterState): Promise<'said' | 'again'> {
    const { gateway, prefix, self, id } = this.#options;
    const isServing = this.#isServing;
    const session = sessions.get(self.name);
    const stored = nodes.get(self.name);
    const isThere =
      this.#lease !== null &&
      session !== undefined &&
      stored?.id === id &&
      stored.level === (self.level ?? FIRST_LEVEL) &&
      stored.edge === self.edge;
    if (isThere && this.#isSaid === isServing) return 'said';
    this.#lease ??= await gateway.grant(LEASE);
    const value = Buffer.from(JSON.stringify({ ...self, id }));
    const [members, end] = keysOf(prefix, 'member');
    const live = keyOf(prefix, 'live', self.name);
    const { succeeded } = await gateway.transaction(
      [
        unwrittenSince(members, end, revision),
        hasRevision(keyOf(prefix, 'removed', id), 0),
        hasRevision(keyOf(prefix, 'session', self.name), session?.revision ?? 0),
      ],
      [
        put(keyOf(prefix, 'member', self.name), value),
        put(
          keyOf(prefix, 'session', self.name),
          Buffer.from(JSON.stringify({ id, process: this.#process })),
          this.#lease,
        ),
        isServing ? put(live, value, this.#lease) : remove(live),
      ],
    );
    if (succeeded) {
      this.#wasThere = true;
      this.#isSaid = isServing;
    }
    return 'again';
  }
}
