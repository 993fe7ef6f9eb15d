/**
 * A network for this process alone, which goes into a new network namespace, the hub, with one
 * bridge or more. Every place at these bridges is a namespace of its own: eth0 at hub0,
 * 10.77.0.0/24, eth1 at hub1, 10.77.1.0/24, and so on. Nothing of it has a name or is seen by the
 * rest of the machine, and the kernel takes it away with the last process in it. Needs root.
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

/** What the command prints. Throws Error with what it had to say. */
export function run(...command: string[]): string {
  return execFileSync(command[0], command.slice(1), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * The namespace of this thread, from which its sockets and the processes that it starts come.
 * Returns a descriptor.
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
  /** At each bridge. */
  readonly addresses: readonly string[];
  readonly #number: number;
  readonly #namespace: number;
  readonly #hub: number;

  /** Called in the hub; `number`: 1 to 250. */
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

  /** At the first bridge. */
  get address(): string {
    return this.addresses[0];
  }

  /** Of the hub, to this place. */
  #link(bridge: number): string {
    return `place${this.#number}-${bridge}`;
  }

  /** Takes its link to the first bridge away, or gives it back. Called in the hub. */
  link(state: 'up' | 'down'): void {
    run('ip', 'link', 'set', this.#link(0), state);
  }

  /**
   * Runs `work`, which is not to wait for anything, in this place: a process that it starts stays
   * there.
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
   * Everything leaves by eth0 so many milliseconds late from now on; 0: as it comes. False: the
   * kernel has no netem.
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
 * Places 1 to `count`. The calling process is at the bridges with them from now on, and away from
 * all else. Throws Error.
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
