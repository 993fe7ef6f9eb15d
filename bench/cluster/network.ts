/**
 * A network for the benchmark alone: the process goes into a new network namespace with a bridge, and every place at that bridge is a namespace of its own. Nothing of it
 * has a name or is seen by the rest of the machine, and the kernel takes it away with the last process in it. Needs root.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import koffi from 'koffi';

const libc = koffi.load('libc.so.6');
const unshare = libc.func('int unshare(int)');
const setns = libc.func('int setns(int, int)');
const CLONE_NEWNET = 0x4000_0000;

const HUB = '10.77.0.254';
const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** The namespace of this thread, from which its sockets and the processes that it starts come. Returns a descriptor. */
function enterNew(): number {
  if (unshare(CLONE_NEWNET) !== 0)
    throw new Error(`a network namespace can't be made (errno ${koffi.errno()}): run it as root`);
  ip('link', 'set', 'lo', 'up');
  return openSync('/proc/thread-self/ns/net', 'r');
}

function enter(namespace: number): void {
  if (setns(namespace, CLONE_NEWNET) !== 0) throw new Error(`setns: errno ${koffi.errno()}`);
}

export class Place {
  readonly address: string;
  readonly #namespace: number;
  readonly #hub: number;

  /** Called in the hub; `number`: 1 to 250. */
  constructor(number: number, hub: number) {
    this.address = `10.77.0.${number}`;
    this.#hub = hub;
    this.#namespace = enterNew();
    enter(hub);
    const link = `place${number}`;
    const there = `/proc/${process.pid}/fd/${this.#namespace}`;
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', there);
    ip('link', 'set', link, 'master', 'hub', 'up');
    this.inside(() => {
      ip('address', 'add', `${this.address}/24`, 'dev', 'eth0');
      ip('link', 'set', 'eth0', 'up');
    });
  }

  /** Runs `work`, which is not to wait for anything, in this place: a process that it starts stays there. */
  inside<T>(work: () => T): T {
    enter(this.#namespace);
    try {
      return work();
    } finally {
      enter(this.#hub);
    }
  }

  /** Everything leaves so many milliseconds late from now on; 0: as it comes. False: the kernel has no netem. */
  delay(milliseconds: number): boolean {
    const tc = (...args: string[]) => execFileSync('tc', ['qdisc', ...args], { stdio: 'ignore' });
    return this.inside(() => {
      try {
        if (milliseconds > 0) tc('replace', 'dev', 'eth0', 'root', 'netem', 'delay', `${milliseconds}ms`);
        else tc('del', 'dev', 'eth0', 'root');
        return true;
      } catch {
        return false;
      }
    });
  }

  close(): void {
    closeSync(this.#namespace);
  }
}

/** Places 1 to `count`. The calling process is at the bridge with them from now on, and away from all else. Throws Error. */
export function openNetwork(count: number): Place[] {
  const hub = enterNew();
  ip('link', 'add', 'hub', 'type', 'bridge');
  ip('address', 'add', `${HUB}/24`, 'dev', 'hub');
  ip('link', 'set', 'hub', 'up');
  return Array.from({ length: count }, (_, i) => new Place(i + 1, hub));
}
