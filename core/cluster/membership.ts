/**
 * Membership of this node in etcd: registers it under a lease and reads the other members. A name
 * belongs to one key, and to one process at a time. A refused node keeps reading, since damage in
 * etcd may be mended.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StateError } from '../base/errors.ts';
import { SharedRun } from '../base/shared-run.ts';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { hasRevision, put, remove, unwrittenSince } from '../journal/etcd-client/messages.ts';
import { FIRST_LEVEL, risenLevel } from '../journal/feature-level.ts';
import { type Admission, admit } from './admission.ts';
import { issuedPut, removedKeyPut, revokedSerials, usedPut } from './invitations.ts';
import { type ClusterState, keyOf, keysOf, levelKey, type Member, type Members, readMembers } from './members.ts';

interface MembershipOptions {
  readonly gateway: EtcdGateway;
  /** Prefix of all keys in etcd; ends with a slash. */
  readonly prefix: string;
  readonly self: Member & { readonly key: string };
  /**
   * Id of the data folder. Another process with the same id takes over the name: it counts as a
   * restart of this process.
   */
  readonly id: string;
  /** Id of the "waypost cluster join" of this node; null or omitted: none. */
  readonly join?: string | null;
  readonly onChange: (members: Members) => void;
  /**
   * Called after the start when this node is no longer a member: it was removed, or another node
   * has its name. Null: it is a member again.
   */
  readonly onRefused: (error: StateError | null) => void;
  /** Called with the damaged values in etcd: reasons by key. */
  readonly onDamage?: (damaged: ReadonlyMap<string, string>) => void;
  /** Called with the error when etcd is unreachable; null: it is reachable. */
  readonly onTrouble: (error: unknown) => void;
  /** Milliseconds between renewals of the lease. */
  readonly interval: number;
}

/** Seconds without a renewal after which a node is no longer live. */
const LEASE_SECONDS = 5;
/**
 * Milliseconds that a start waits for a name in use: its owner may have crashed, and its lease
 * still has to expire.
 */
const NAME_TIMEOUT_MS = 1000 * (LEASE_SECONDS + 3);
/** Every tenth renewal also reads the members, in case the watch has missed an event. */
const READ_EVERY = 10;
/** Maximum milliseconds between reads of a refused node, unless the watch reports an event. */
const MAX_PAUSE_MS = 15_000;

export class Membership {
  #self: MembershipOptions['self'];
  readonly #process = randomBytes(8).toString('hex');
  readonly #stop = new AbortController();
  /** Reads never overlap: each also writes the keys that it found missing. */
  readonly #reads = new SharedRun(() => this.#read());
  #running: Promise<unknown> = Promise.resolve();
  #pause = new AbortController();
  /** A read is due at once, such as after an event of the watch. */
  #isDue = false;
  /** The last read may be out of date. */
  #isStale = false;
  #lease: string | null = null;
  /** This process has been registered under the name. */
  #wasRegistered = false;
  #isServing = false;
  /** The serving state stored in etcd under the lease; null: not known to be stored. */
  #storedServing: boolean | null = null;
  #lastState = '';
  /** Revision of etcd at the last read. */
  #revision = 0;
  #refused: StateError | null = null;
  /** Time of the refusal, by performance.now(); null: not refused. */
  #refusedAt: number | null = null;
  members: Members = {
    nodes: new Map(),
    live: new Set(),
    there: new Set(),
    agreedLevel: null,
    revoked: [],
    renewal: {},
  };

  constructor(private readonly options: MembershipOptions) {
    this.#self = options.self;
  }

  /**
   * Resolves after the first read, even if etcd is unreachable, and keeps running in the
   * background. Rejects with StateError `removed` or `name_taken`.
   */
  async start(): Promise<void> {
    const { onTrouble } = this.options;
    for (const until = performance.now() + NAME_TIMEOUT_MS; ; await sleep(200)) {
      try {
        await this.#reads.join();
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

  /** Publishes a changed certificate or changed authorities in etcd. */
  certificatesChanged({ certificate, trusts }: Pick<Member, 'certificate' | 'trusts'>): void {
    this.#self = { ...this.#self, certificate, trusts };
    this.#wake();
  }

  /**
   * Sets whether this node is caught up. Writes of other nodes wait for it from the next read on.
   */
  async serving(isServing: boolean): Promise<void> {
    this.#isServing = isServing;
    if (this.#refused === null) await this.#reads.join();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
    // A pending read may still be granted a lease.
    await this.#reads.join().catch(() => {});
    if (this.#lease !== null) await this.options.gateway.revoke(this.#lease).catch(() => {});
  }

  async #run(): Promise<void> {
    const { interval, onTrouble } = this.options;
    let pause = interval;
    for (let turn = 1; ; turn++) {
      const { signal } = this.#pause;
      if (!this.#isDue && !this.#stop.signal.aborted) await sleep(pause, undefined, { signal }).catch(() => {});
      if (this.#stop.signal.aborted) return;
      pause = interval;
      try {
        await this.#keepAlive();
        if (this.#isDue || this.#isStale || turn % READ_EVERY === 0) await this.#reads.join();
        onTrouble(null);
        this.#clearRefusal();
      } catch (error) {
        this.#resetWake();
        this.#isStale = true;
        if (!(error instanceof StateError)) onTrouble(error);
        else {
          pause = Math.min(Math.max(interval, 2 * this.#refusedFor), MAX_PAUSE_MS);
          await this.#refuse(error);
        }
      }
    }
  }

  /** Milliseconds since the refusal; 0: not refused. */
  get #refusedFor(): number {
    return this.#refusedAt === null ? 0 : performance.now() - this.#refusedAt;
  }

  async #refuse(error: StateError): Promise<void> {
    this.#refusedAt ??= performance.now();
    const isNew = this.#refused?.message !== error.message;
    this.#refused = error;
    // A removed node can only return with an invitation.
    if (error.code === 'removed') this.#wasRegistered = false;
    if (isNew) this.options.onRefused(error);
    const lease = this.#lease;
    this.#lease = null;
    this.#storedServing = null;
    if (lease !== null) await this.options.gateway.revoke(lease).catch(() => {});
  }

  #clearRefusal(): void {
    if (this.#refused === null || this.#isStale) return;
    this.#refused = null;
    this.#refusedAt = null;
    this.options.onRefused(null);
  }

  #resetWake(): void {
    this.#isDue = false;
    this.#pause = new AbortController();
  }

  #wake(): void {
    this.#isDue = true;
    this.#pause.abort();
  }

  async #watch(): Promise<void> {
    const { gateway, prefix, interval } = this.options;
    const { signal } = this.#stop;
    const [first, end] = keysOf(prefix);
    while (!signal.aborted) {
      const from = this.#revision + 1;
      await gateway
        .watch(first, end, from, ({ puts, deleted }) => puts.length + deleted.length > 0 && this.#wake(), signal)
        .catch(() => {});
      // Reads the events that were missed meanwhile; the next watch starts after them.
      if (!signal.aborted) this.#wake();
      await sleep(interval, undefined, { signal }).catch(() => {});
    }
  }

  async #keepAlive(): Promise<void> {
    if (this.#lease === null || (await this.options.gateway.keepAlive(this.#lease))) return;
    this.#lease = null;
    this.#storedServing = null;
    this.#isStale = true;
  }

  async #read(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { gateway, prefix, onChange } = this.options;
    this.#resetWake();
    let state: ClusterState;
    // Repeats if another node has changed the keys since the read.
    do {
      state = await readMembers(gateway, prefix);
      this.options.onDamage?.(state.damaged);
    } while ((await this.#writeOwnKeys(state, this.#admit(state))) === 'again' || (await this.#agree(state)));
    const { nodes, live, there, agreedLevel, revision } = state;
    this.#revision = revision;
    this.#isStale = false;
    const revoked = revokedSerials(state);
    const renewal = state.renewals.get(this.options.self.name) ?? {};
    const text = JSON.stringify([[...nodes.values()], [...live], [...there], agreedLevel, revoked, renewal]);
    if (text === this.#lastState) return;
    this.#lastState = text;
    this.members = { nodes, live, there, agreedLevel, revoked, renewal };
    onChange(this.members);
  }

  /** Throws StateError if this process cannot be a member, and EtcdDamaged. */
  #admit(state: ClusterState): Admission {
    const { id, prefix, join = null } = this.options;
    const self = this.#self;
    const entry = keyOf(prefix, 'member', self.name);
    return admit({ self, id, join, process: this.#process, wasThere: this.#wasRegistered, entry }, state);
  }

  /**
   * Raises the agreed level if every member supports a higher one, and mends a damaged one. True:
   * read again.
   */
  async #agree({ nodes, agreedLevel, levelRevision, revision, damaged }: ClusterState): Promise<boolean> {
    const { gateway, prefix } = this.options;
    const [members, end] = keysOf(prefix, 'member');
    const key = levelKey(prefix);
    // A damaged entry may belong to a member with a lower level.
    if ([...damaged.keys()].some((other) => other.startsWith(members))) return false;
    const risen = risenLevel(
      agreedLevel,
      [...nodes.values()].map(({ level = FIRST_LEVEL }) => level),
    );
    const nextLevel = risen ?? (damaged.has(key) ? agreedLevel : null);
    if (nextLevel === null) return false;
    await gateway.transaction(
      [unwrittenSince(members, end, revision), hasRevision(key, levelRevision)],
      [put(key, Buffer.from(String(nextLevel)))],
    );
    return true;
  }

  /**
   * Writes the keys of this node unless they are current: etcd keeps every version. `again`: they
   * were written, or another node wrote first, so the members must be read again.
   */
  async #writeOwnKeys(
    { nodes, live, sessions, certificates, levelRevision, invited, revision }: ClusterState,
    admission: Admission,
  ): Promise<'said' | 'again'> {
    const { gateway, prefix, id, join = null } = this.options;
    const self = this.#self;
    const isServing = this.#isServing;
    const session = sessions.get(self.name);
    const stored = nodes.get(self.name);
    const issued = issuedPut(prefix, self, certificates);
    const isCurrent =
      admission === 'known' &&
      this.#lease !== null &&
      session?.process === this.#process &&
      session.lease === this.#lease &&
      live.has(self.name) === isServing &&
      issued === null &&
      stored?.id === id &&
      stored.level === (self.level ?? FIRST_LEVEL) &&
      stored.edge === self.edge &&
      stored.certificate === self.certificate &&
      stored.trusts?.join() === self.trusts?.join();
    if (isCurrent && this.#storedServing === isServing) return 'said';
    this.#lease ??= await gateway.grant(LEASE_SECONDS);
    const value = Buffer.from(JSON.stringify({ ...self, id }));
    const [members, end] = keysOf(prefix, 'member');
    const liveKey = keyOf(prefix, 'live', self.name);
    const invitation = keyOf(prefix, 'invited', self.key);
    // The invitation moves the name to this key, which removes the previous key.
    const replaced = stored?.key !== undefined && stored.key !== self.key ? [removedKeyPut(prefix, stored)] : [];
    const { succeeded } = await gateway.transaction(
      [
        unwrittenSince(members, end, revision),
        hasRevision(keyOf(prefix, 'removed', id), 0),
        hasRevision(keyOf(prefix, 'removed-key', self.key), 0),
        hasRevision(invitation, invited.get(self.key)?.revision ?? 0),
        hasRevision(keyOf(prefix, 'session', self.name), session?.revision ?? 0),
        ...(admission === 'adopted' ? [hasRevision(levelKey(prefix), levelRevision)] : []),
      ],
      [
        put(keyOf(prefix, 'member', self.name), value),
        put(
          keyOf(prefix, 'session', self.name),
          Buffer.from(JSON.stringify({ id, process: this.#process })),
          this.#lease,
        ),
        isServing ? put(liveKey, value, this.#lease) : remove(liveKey),
        ...(invited.has(self.key) ? [remove(invitation), usedPut(prefix, self.key, join)] : []),
        ...(issued === null ? [] : [issued]),
        ...replaced,
      ],
    );
    if (succeeded) {
      this.#wasRegistered = true;
      this.#storedServing = isServing;
    }
    return 'again';
  }
}
