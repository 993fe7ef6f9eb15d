/**
 * Machines as network namespaces: each has a link to a bridge over which nodes and etcd talk, and one to a bridge over which clients come,
 * so that a node can be cut off from the others and still be asked. The bridges lie in a namespace of their own, in which the tests run:
 *
 *     hub ── bridge "cluster" 10.86.1.254 ── eth0 of every machine
 *      └──── bridge "clients" 10.86.2.254 ── eth1 of every machine
 *
 * Needs root. A run has names of its own; whoever made them removes them, with every process inside.
 */
import { execFileSync } from 'node:child_process';

const BRIDGES = ['cluster', 'clients'] as const;

export interface Machine {
  readonly name: string;
  /** Its address among the machines. */
  readonly inside: string;
  /** Where clients reach it. */
  readonly outside: string;
}

/** `index`: 1 to 253. */
const machine = (name: string, index: number): Machine => ({
  name,
  inside: `10.86.1.${index}`,
  outside: `10.86.2.${index}`,
});

export const NODES: readonly Machine[] = ['a', 'b', 'c', 'd'].map((name, i) => machine(name, i + 1));
export const MEMBERS: readonly Machine[] = ['one', 'two', 'three'].map((name, i) => machine(name, i + 11));

export class Network {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** What to put before a command so that it runs there; without a name: in the hub. */
  inside(name = 'hub'): string[] {
    return ['nsenter', `--net=/run/netns/${this.#prefix}-${name}`, '--'];
  }

  /** Throws Error with what a command had to say. */
  make(machines: readonly Machine[]): void {
    const hub = this.#add('hub');
    for (const [i, bridge] of BRIDGES.entries()) {
      run('ip', '-n', hub, 'link', 'add', bridge, 'type', 'bridge');
      run('ip', '-n', hub, 'address', 'add', `10.86.${i + 1}.254/24`, 'dev', bridge);
      run('ip', '-n', hub, 'link', 'set', bridge, 'up');
    }
    for (const { name, inside, outside } of machines) {
      const own = this.#add(name);
      for (const [i, address] of [inside, outside].entries()) {
        const port = portOf(name, i);
        run('ip', '-n', hub, 'link', 'add', port, 'type', 'veth', 'peer', 'name', `eth${i}`, 'netns', own);
        run('ip', '-n', own, 'address', 'add', `${address}/24`, 'dev', `eth${i}`);
        run('ip', '-n', own, 'link', 'set', `eth${i}`, 'up');
        run('ip', '-n', hub, 'link', 'set', port, 'master', BRIDGES[i], 'up');
      }
    }
  }

  /** Ends what runs in there. */
  remove(): void {
    const names = run('ip', 'netns', 'list')
      .split('\n')
      .map((line) => line.split(' ')[0])
      .filter((name) => name.startsWith(`${this.#prefix}-`));
    for (const name of names) {
      for (const pid of run('ip', 'netns', 'pids', name).split('\n').filter(Boolean)) kill(Number(pid));
      run('ip', 'netns', 'delete', name);
    }
  }

  /** Takes a machine's link to the others away, or gives it back. Clients still come through. */
  link({ name }: Machine, state: 'up' | 'down'): void {
    run('ip', '-n', `${this.#prefix}-hub`, 'link', 'set', portOf(name, 0), state);
  }

  /** Lets everything between the machines take so long, each way. False: this kernel has no netem. */
  delay(machines: readonly Machine[], ms: number): boolean {
    try {
      for (const { name } of machines)
        run(...this.inside(name), 'tc', 'qdisc', 'replace', 'dev', 'eth0', 'root', 'netem', 'delay', `${ms}ms`);
      return true;
    } catch (error) {
      if (/kind is unknown|ENOENT/.test((error as Error).message)) return false;
      throw error;
    }
  }

  undelay(machines: readonly Machine[]): void {
    for (const { name } of machines) run(...this.inside(name), 'tc', 'qdisc', 'del', 'dev', 'eth0', 'root');
  }

  #add(name: string): string {
    const full = `${this.#prefix}-${name}`;
    run('ip', 'netns', 'add', full);
    run('ip', '-n', full, 'link', 'set', 'lo', 'up');
    return full;
  }
}

const portOf = (name: string, bridge: number): string => `${name}-${bridge}`;

/** What it prints. Throws Error with what it had to say. */
export function run(...command: string[]): string {
  return execFileSync(command[0], command.slice(1), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
