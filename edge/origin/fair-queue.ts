/** Calls that wait for their network's turn: those of a network in the order in which they came, networks one after the other. */
import type { Call } from './call.ts';

export class FairQueue {
  size = 0;
  /** The network whose turn is next comes first. */
  readonly #networks = new Map<string | undefined, Set<Call>>();

  /** Whether one of `network` waits. */
  has(network: string | undefined): boolean {
    return this.#networks.has(network);
  }

  add(call: Call): void {
    const { client } = call.request;
    const calls = this.#networks.get(client);
    if (calls === undefined) this.#networks.set(client, new Set([call]));
    else calls.add(call);
    this.size++;
  }

  /** False: it does not wait here. */
  delete(call: Call): boolean {
    const { client } = call.request;
    const calls = this.#networks.get(client);
    if (calls?.delete(call) !== true) return false;
    if (calls.size === 0) this.#networks.delete(client);
    this.size--;
    return true;
  }

  /** Takes out the next call of a network that `mayGo`; undefined: there is none. */
  next(mayGo: (network: string | undefined) => boolean): Call | undefined {
    for (const [network, calls] of this.#networks) {
      if (!mayGo(network)) continue;
      const [call] = calls;
      this.delete(call);
      // The others of it wait until all other networks had their turn.
      if (calls.size > 0) {
        this.#networks.delete(network);
        this.#networks.set(network, calls);
      }
      return call;
    }
    return undefined;
  }

  /** Takes out those whose deadline has passed. `now`: of the clock. */
  expired(now: number): Call[] {
    const late: Call[] = [];
    for (const calls of this.#networks.values())
      for (const call of calls) {
        if (call.deadline > now) break;
        late.push(call);
      }
    for (const call of late) this.delete(call);
    return late;
  }

  /** Takes out all. */
  clear(): Call[] {
    return this.expired(Number.POSITIVE_INFINITY);
  }
}
