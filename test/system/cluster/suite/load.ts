/** Writers, rivals and checkers at work on all nodes, and what must hold when they have stopped. */
import { setMaxListeners } from 'node:events';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { Checker } from './checker.ts';
import { type Machines, type Node, until } from './machines.ts';
import { Rivals } from './rivals.ts';
import { compareStores } from './stores.ts';
import { type Counts, Writer } from './writer.ts';

const WRITERS = 6;

export class Load {
  readonly #machines: Machines;
  readonly writers: readonly Writer[];
  readonly #rivals: Rivals;
  readonly #checker: Checker;
  #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #fault: unknown = null;

  constructor(machines: Machines) {
    const { nodes } = machines;
    const seed = (n: number): Random => new Random(SEED + n);
    this.#machines = machines;
    this.writers = Array.from({ length: WRITERS }, (_, i) => new Writer(i, nodes, seed(i + 1)));
    this.#rivals = new Rivals(nodes, seed(100));
    this.#checker = new Checker(this.writers, seed(200));
  }

  async prepare(): Promise<void> {
    for (const writer of this.writers) await writer.prepare();
  }

  start(): void {
    this.#stop = new AbortController();
    setMaxListeners(0, this.#stop.signal);
    this.#fault = null;
    const { signal } = this.#stop;
    const lanes = [
      ...this.writers.map((writer) => writer.run(signal)),
      this.#rivals.run(signal),
      ...this.#machines.nodes.map((node) => this.#checker.run(node, signal)),
    ];
    for (const lane of lanes)
      lane.catch((error: unknown) => {
        this.#fault ??= error;
      });
    this.#running = Promise.allSettled(lanes);
  }

  /** Resolves when so many more changes were acknowledged. */
  async progress(count: number): Promise<void> {
    const until_ = this.acknowledged + count;
    await until(`${count} more changes are acknowledged`, () => {
      this.check();
      return this.acknowledged >= until_;
    });
  }

  get acknowledged(): number {
    return this.#sum('acknowledged');
  }

  /** Requests that a running node has received and not answered, also while it stopped. */
  get lost(): number {
    return this.#sum('lost');
  }

  /** Throws the first thing that was against the contract. */
  check(): void {
    if (this.#fault !== null) throw this.#fault;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.check();
  }

  /**
   * All nodes are up: waits until they have all, and compares. Throws Error with the first thing
   * that is not as it must be.
   */
  async settle(): Promise<void> {
    const { nodes } = this.#machines;
    await Promise.all(nodes.map((node) => node.untilReady()));
    const [{ api }] = nodes;
    const path = `/api/v1/domains/${this.writers[0].domainId}/records`;
    const { headers } = await api.call('POST', path, { name: 'mark', type: 'TXT', content: String(Date.now()) });
    for (const node of nodes)
      await until(`${node.name} has all, and knows that all have`, async () => {
        const { body } = await node.api.call('GET', `/api/v1/changes/${headers.get('x-waypost-revision')}`);
        return (body.applied as string[]).length === nodes.length;
      });
    const [first, ...others] = await Promise.all(nodes.map((node) => this.#answersOf(node)));
    for (const [i, other] of others.entries())
      for (const [name, packet] of first)
        if (other.get(name) !== packet)
          throw new Error(`${name}: ${nodes[0].name} answers ${packet}, ${nodes[i + 1].name} ${other.get(name)}`);
    for (const node of nodes) await this.#rivals.check(node);
    this.#rivals.forget();
    await compareStores(new Map(nodes.map(({ name, dataDir }) => [name, dataDir])));
  }

  /** Name to packet; each is at its last value. */
  async #answersOf(node: Node): Promise<Map<string, string>> {
    const packets = new Map<string, string>();
    for (const writer of this.writers) {
      const values = new Set<string>();
      for (const versions of writer.names) {
        versions.applied(node.name);
        const packet = await this.#checker.query(node, versions);
        if (packet === null) throw new Error(`${node.name} does not answer queries`);
        const text = Buffer.from(packet.subarray(2)).toString('hex');
        packets.set(versions.name, text);
        if (writer.group.includes(versions)) values.add(versions.at(node.name));
      }
      if (values.size !== 1) throw new Error(`${node.name} serves half a batch: ${[...values].join(' and ')}`);
    }
    return packets;
  }

  get summary(): string {
    return `${this.acknowledged} changes acknowledged, ${this.#sum('refused')} refused, ${this.#sum('doubtful')} tries in doubt, ${this.#checker.count} answers checked`;
  }

  #sum(of: keyof Counts): number {
    return this.writers.reduce((sum, { counts }) => sum + counts[of], 0);
  }
}
