/**
 * An isolated network for this process. The process enters a new network namespace, the hub, with
 * one or more bridges. Each place is a namespace of its own: eth0 at hub0 (10.77.0.0/24), eth1 at
 * hub1 (10.77.1.0/24), and so on. No namespace has a name, and the rest of the machine does not see
 * them. The kernel removes them with the last process. Needs root.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import koffi from 'koffi';

const libc = koffi.load('libc.so.6');
const unshare = libc.func('int unshare(int)');
const setns = libc.func('int setns(int, int)');
const CLONE_NEWNET = 0x4000_0000;

const HUB = 254;
const addressAt = (bridge: number, number: number): string => `10.77.${bridge}.${number}`;

/** Runs a command and returns its output. Throws Error with its error output. */
export function run(...command: string[]): string {
  return execFileSync(command[0], command.slice(1), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Moves this thread into a new network namespace, which its sockets and child processes use.
 * Returns a descriptor of the namespace.
 */
function enterNew(): number {
  if (unshare(CLONE_NEWNET) !== 0)
    throw new Error(`a network namespace cannot be made (errno ${koffi.errno()}): run it as root`);
  run('ip', 'link', 'set', 'lo', 'up');
  return openSync('/proc/thread-self/ns/net', 'r');
}

function enter(namespace: number): void {
  if (setns(namespace, CLONE_NEWNET) !== 0) throw new Error(`setns: errno ${koffi.errno()}`);
}

export class Place {
  /** Address at each bridge. */
  readonly addresses: readonly string[];
  readonly #number: number;
  readonly #namespace: number;
  readonly #hub: number;

  /** Must be called in the hub. `number`: 1 to 250. */
  constructor(number: number, hub: number, bridges: number) {
    this.addresses = Array.from({ length: bridges }, (_, bridge) => addressAt(bridge, number));
    this.#number = number;
    this.#hub = hub;
    this.#namespace = enterNew();
    enter(hub);
    const there = `/proc/${process.pid}/fd/${this.#namespace}`;
    for (const [bridge, address] of this.addresses.entries()) {
      const [link, device] = [this.#link(bridge), `eth${bridge}`];
      run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', device, 'netns', there);
      run('ip', 'link', 'set', link, 'master', `hub${bridge}`, 'up');
      this.inside(() => {
        run('ip', 'address', 'add', `${address}/24`, 'dev', device);
        run('ip', 'link', 'set', device, 'up');
      });
    }
  }

  /** Address at the first bridge. */
  get address(): string {
    return this.addresses[0];
  }

  /** Name of the hub's interface for this place. */
  #link(bridge: number): string {
    return `place${this.#number}-${bridge}`;
  }

  /** Sets the link to the first bridge up or down. Must be called in the hub. */
  link(state: 'up' | 'down'): void {
    run('ip', 'link', 'set', this.#link(0), state);
  }

  /**
   * Runs `work` in this place. `work` must be synchronous. Child processes that it starts stay in
   * this place.
   */
  inside<T>(work: () => T): T {
    enter(this.#namespace);
    try {
      return work();
    } finally {
      enter(this.#hub);
    }
  }

  /**
   * Delays all packets that leave through eth0; 0: no delay. Returns false if the kernel has no
   * netem.
   */
  delay(milliseconds: number): boolean {
    const tc = (verb: string, ...how: string[]) => run('tc', 'qdisc', verb, 'dev', 'eth0', 'root', ...how);
    return this.inside(() => {
      try {
        if (milliseconds > 0) tc('replace', 'netem', 'delay', `${milliseconds}ms`);
        else tc('del');
        return true;
      } catch (error) {
        if (/kind is unknown|ENOENT/.test((error as Error).message)) return false;
        throw error;
      }
    });
  }

  close(): void {
    closeSync(this.#namespace);
  }
}

/**
 * Opens places 1 to `count` and moves this process into the hub, isolated from other networks.
 * Throws Error.
 */
export function openNetwork(count: number, bridges = 1): Place[] {
  const hub = enterNew();
  for (let bridge = 0; bridge < bridges; bridge++) {
    const name = `hub${bridge}`;
    run('ip', 'link', 'add', name, 'type', 'bridge');
    run('ip', 'address', 'add', `${addressAt(bridge, HUB)}/24`, 'dev', name);
    run('ip', 'link', 'set', name, 'up');
  }
  return Array.from({ length: count }, (_, i) => new Place(i + 1, hub, bridges));
}
