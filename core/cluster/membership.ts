/**
 * This node among the members in etcd: it says of itself that it is there, under a lease, and hears
 * who else is. A name belongs to one key, and to one process at a time. A node that is refused
 * looks again, since damage in etcd may be mended.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StateError } from '../base/errors.ts';
import { SharedRun } from '../journal/etcd/shared-run.ts';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { hasRevision, put, remove, unwrittenSince } from '../journal/etcd-client/messages.ts';
import { FIRST_LEVEL, risenLevel } from '../journal/feature-level.ts';
import { type Admission, admit } from './admission.ts';
import { issuedPut, removedKeyPut, revokedSerials } from './invitations.ts';
import { type ClusterState, keyOf, keysOf, levelKey, type Member, type Members, readMembers } from './members.ts';

interface MembershipOptions {
  readonly gateway: EtcdGateway;
  /** Of all keys in etcd; ends with a slash. */
  readonly prefix: string;
  readonly self: Member & { readonly key: string };
  /**
   * Of the data folder. Another process with the same takes this one's place: it is taken to be its
   * restart.
   */
  readonly id: string;
  readonly onChange: (members: Members) => void;
  /**
   * After the start: this node is no member any more, since it was removed or another has its name.
   * Null: it is one again.
   */
  readonly onRefused: (error: StateError | null) => void;
  /** What is damaged in etcd now: reasons by key. */
  readonly onDamage?: (damaged: ReadonlyMap<string, string>) => void;
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
/** Milliseconds between looks of a node that is refused, unless the watch reports something. */
const LONGEST_PAUSE = 15_000;

export class Membership {
  readonly #options: MembershipOptions;
  #self: MembershipOptions['self'];
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
  /** In the time of performance.now(). */
  #refusedAt: number | null = null;
  members: Members = {
    nodes: new Map(),
    live: new Set(),
    there: new Set(),
    agreedLevel: null,
    revoked: [],
    renewal: {},
  };

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#self = options.self;
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

  /** Another certificate, or other authorities: what stands in etcd is to say so. */
  certificatesChanged({ certificate, trusts }: Pick<Member, 'certificate' | 'trusts'>): void {
    this.#self = { ...this.#self, certificate, trusts };
    this.#wake();
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
    const { interval, onTrouble } = this.#options;
    let pause = interval;
    for (let turn = 1; ; turn++) {
      const { signal } = this.#pause;
      if (!this.#isDue && !this.#stop.signal.aborted) await sleep(pause, undefined, { signal }).catch(() => {});
      if (this.#stop.signal.aborted) return;
      pause = interval;
      try {
        await this.#keepAlive();
        if (this.#isDue || this.#isStale || turn % LOOK_EVERY === 0) await this.#looks.join();
        onTrouble(null);
        this.#accept();
      } catch (error) {
        this.#rest();
        this.#isStale = true;
        if (!(error instanceof StateError)) onTrouble(error);
        else {
          pause = Math.min(Math.max(interval, 2 * this.#refusedFor), LONGEST_PAUSE);
          await this.#refuse(error);
        }
      }
    }
  }

  /** Milliseconds since this node is refused; 0: it is not. */
  get #refusedFor(): number {
    return this.#refusedAt === null ? 0 : performance.now() - this.#refusedAt;
  }

  async #refuse(error: StateError): Promise<void> {
    this.#refusedAt ??= performance.now();
    const isNew = this.#refused?.message !== error.message;
    this.#refused = error;
    // One that was removed comes back by an invitation alone.
    if (error.code === 'removed') this.#wasThere = false;
    if (isNew) this.#options.onRefused(error);
    const lease = this.#lease;
    this.#lease = null;
    this.#isSaid = null;
    if (lease !== null) await this.#options.gateway.revoke(lease).catch(() => {});
  }

  #accept(): void {
    if (this.#refused === null || this.#isStale) return;
    this.#refused = null;
    this.#refusedAt = null;
    this.#options.onRefused(null);
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
    let state: ClusterState;
    // Another may have been sooner with what this one has read.
    do {
      state = await readMembers(gateway, prefix);
      this.#options.onDamage?.(state.damaged);
    } while ((await this.#say(state, this.#admit(state))) === 'again' || (await this.#agree(state)));
    const { nodes, live, there, agreedLevel, revision } = state;
    this.#revision = revision;
    this.#isStale = false;
    const revoked = revokedSerials(state);
    const renewal = state.renewals.get(this.#options.self.name) ?? {};
    const text = JSON.stringify([[...nodes.values()], [...live], [...there], agreedLevel, revoked, renewal]);
    if (text === this.#last) return;
    this.#last = text;
    this.members = { nodes, live, there, agreedLevel, revoked, renewal };
    onChange(this.members);
  }

  /** Throws StateError when this process is no member, and can be none; and EtcdDamaged. */
  #admit(state: ClusterState): Admission {
    const { id, prefix } = this.#options;
    const self = this.#self;
    const entry = keyOf(prefix, 'member', self.name);
    return admit({ self, id, process: this.#process, wasThere: this.#wasThere, entry }, state);
  }

  /**
   * Raises the agreed level if every member has a higher one, and mends a damaged one. True: look
   * again.
   */
  async #agree({ nodes, agreedLevel, levelRevision, revision, damaged }: ClusterState): Promise<boolean> {
    const { gateway, prefix } = this.#options;
    const [members, end] = keysOf(prefix, 'member');
    const key = levelKey(prefix);
    // A member that cannot be read may have a lower level.
    if ([...damaged.keys()].some((other) => other.startsWith(members))) return false;
    const risen = risenLevel(
      agreedLevel,
      [...nodes.values()].map(({ level = FIRST_LEVEL }) => level),
    );
    const wanted = risen ?? (damaged.has(key) ? agreedLevel : null);
    if (wanted === null) return false;
    await gateway.transaction(
      [unwrittenSince(members, end, revision), hasRevision(key, levelRevision)],
      [put(key, Buffer.from(String(wanted)))],
    );
    return true;
  }

  /**
   * Writes what this node is, unless it stands there already: etcd keeps every version. When it
   * has, or was not the first, it is to be looked again.
   */
  async #say(
    { nodes, live, sessions, certificates, levelRevision, invited, revision }: ClusterState,
    admission: Admission,
  ): Promise<'said' | 'again'> {
    const { gateway, prefix, id } = this.#options;
    const self = this.#self;
    const isServing = this.#isServing;
    const session = sessions.get(self.name);
    const stored = nodes.get(self.name);
    const issued = issuedPut(prefix, self, certificates);
    const isThere =
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
    if (isThere && this.#isSaid === isServing) return 'said';
    this.#lease ??= await gateway.grant(LEASE);
    const value = Buffer.from(JSON.stringify({ ...self, id }));
    const [members, end] = keysOf(prefix, 'member');
    const liveKey = keyOf(prefix, 'live', self.name);
    const invitation = keyOf(prefix, 'invited', self.key);
    // An invitation gives the name to this key. Who had it before is removed.
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
        ...(invited.has(self.key) ? [remove(invitation)] : []),
        ...(issued === null ? [] : [issued]),
        ...replaced,
      ],
    );
    if (succeeded) {
      this.#wasThere = true;
      this.#isSaid = isServing;
    }
    return 'again';
  }
}
