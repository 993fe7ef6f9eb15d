/** Who belongs to the cluster, and who of them is there: what each node writes into etcd of itself, for good and under a lease. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdGateway } from '../etcd/gateway.ts';
import { put, range, remove, unwrittenSince } from '../etcd/messages.ts';
import { NODE_NUMBERS } from '../store/rows.ts';

export interface Member {
  /** Its host name in the cluster, and in its certificate. */
  readonly name: string;
  /** `host:port` where it talks to others. */
  readonly address: string;
  readonly version: string;
}

/** As it stands in etcd. */
export interface KnownMember extends Member {
  /** No other member has it; of its ids. Null: a version wrote it that had none. */
  readonly number: number | null;
}

export interface Members {
  readonly known: ReadonlyMap<string, KnownMember>;
  /** Names of those that are caught up and serve. */
  readonly live: ReadonlySet<string>;
}

export interface MembershipOptions {
  readonly gateway: EtcdGateway;
  /** Of all keys in etcd; ends with a slash. */
  readonly prefix: string;
  readonly self: Member;
  readonly onChange: (members: Members) => void;
  /** The number of this node, which it keeps for as long as it is a member. */
  readonly onNumber: (number: number) => void;
  /** etcd can't be reached; null: it can. */
  readonly onTrouble: (error: unknown) => void;
  /** Milliseconds between looks. */
  readonly interval: number;
}

/** Seconds after which a node that says nothing is no longer waited for. */
const LEASE = 5;

export class Membership {
  readonly #options: MembershipOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #lease: string | null = null;
  #isServing = false;
  /** What of it stands in etcd under the lease; null: nothing is known to. */
  #isSaid: boolean | null = null;
  #last = '';
  members: Members = { known: new Map(), live: new Set() };

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** Resolves after the first look, whatever came of it; goes on by itself. */
  async start(): Promise<void> {
    await this.#look().then(
      () => this.#options.onTrouble(null),
      (error: unknown) => this.#options.onTrouble(error),
    );
    this.#running = this.#run();
  }

  /** This node is caught up: others wait for it from the next look on; or it is not, and they don't. */
  async serving(isServing: boolean): Promise<void> {
    this.#isServing = isServing;
    await this.#look();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    if (this.#lease !== null) await this.#options.gateway.revoke(this.#lease).catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(this.#options.interval, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#look();
        this.#options.onTrouble(null);
      } catch (error) {
        this.#options.onTrouble(error);
      }
    }
  }

  async #look(): Promise<void> {
    const { gateway, prefix } = this.#options;
    if (this.#lease !== null && !(await gateway.keepAlive(this.#lease))) {
      this.#lease = null;
      this.#isSaid = null;
    }
    await this.#say();
    const members = await readMembers(gateway, prefix);
    const text = JSON.stringify([[...members.known.values()], [...members.live]]);
    if (text === this.#last) return;
    this.#last = text;
    this.members = members;
    this.#options.onChange(members);
  }

  /** Writes what this node is, unless it stands there already: etcd keeps every version. */
  async #say(): Promise<void> {
    const { gateway, prefix, self, onNumber } = this.#options;
    if (this.#lease !== null && this.#isSaid === this.#isServing) return;
    this.#lease ??= await gateway.grant(LEASE);
    const isServing = this.#isServing;
    const [members, live] = [memberKeys(prefix), liveKeys(prefix) + self.name];
    for (;;) {
      const { known, revision } = await readMembers(gateway, prefix);
      const number = numberOf(self.name, known);
      const value = Buffer.from(JSON.stringify({ ...self, number }));
      const { succeeded } = await gateway.transaction(
        [unwrittenSince(members, endOf(members), revision)],
        [put(members + self.name, value), isServing ? put(live, value, this.#lease) : remove(live)],
      );
      // Another was written meanwhile, which may have taken the number.
      if (!succeeded) continue;
      onNumber(number);
      break;
    }
    this.#isSaid = isServing;
  }
}

/** The one that it has, or the least that nobody has. Throws Error when there is none. */
function numberOf(name: string, known: Members['known']): number {
  const own = known.get(name)?.number;
  if (own !== undefined && own !== null) return own;
  const taken = new Set([...known.values()].map(({ number }) => number));
  for (let number = 0; number < NODE_NUMBERS; number++) if (!taken.has(number)) return number;
  throw new Error(`the cluster has ${NODE_NUMBERS} members already; remove those that are no more`);
}

const memberKeys = (prefix: string): string => `${prefix}member/`;
const liveKeys = (prefix: string): string => `${prefix}live/`;

/** `revision`: of etcd, at which they were read. */
export async function readMembers(
  gateway: EtcdGateway,
  prefix: string,
): Promise<Members & { readonly revision: number }> {
  const [known, live] = [memberKeys(prefix), liveKeys(prefix)];
  const { ranges, revision } = await gateway.transaction([], [range(known, endOf(known)), range(live, endOf(live))]);
  const [all, there] = ranges.map((found) =>
    (found?.items ?? []).map(({ value }) => memberOf(value)).filter((one) => one !== null),
  );
  return { known: new Map(all.map((one) => [one.name, one])), live: new Set(there.map(({ name }) => name)), revision };
}

const isNumber = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < NODE_NUMBERS;

/** Of all keys that begin so; the last character is a slash. */
const endOf = (prefix: string): string => `${prefix.slice(0, -1)}0`;

/** Null for what no node of this kind has written. */
function memberOf(value: Buffer): KnownMember | null {
  try {
    const { name, address, version, number } = JSON.parse(value.toString()) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof address !== 'string') return null;
    return {
      ...{ name, address, version: typeof version === 'string' ? version : '' },
      number: isNumber(number) ? number : null,
    };
  } catch {
    return null;
  }
}
