/**
 * What a name may answer. Its writer gives it one value after another, each of them once. A node
 * that serves a value, or is said to have applied it, is at no older one ever after; no node is at
 * one that was not yet asked for, or that was refused. A node's API lists what is on disk, which
 * its DNS serves a moment later: until the write is answered, the one may be ahead of the other.
 */
export type View = 'DNS' | 'API';

export interface Version {
  /** Null: no such record. */
  readonly value: string | null;
  /** Of the change; null: not known. */
  sequence: number | null;
  isAcknowledged: boolean;
  /** Every answer said that nothing was written. */
  isRefused: boolean;
  wasSeen: boolean;
}

interface Floor {
  readonly at: number;
  readonly by: View | 'an answer';
}

export class Versions {
  readonly name: string;
  readonly #all: Version[] = [{ value: null, sequence: 0, isAcknowledged: true, isRefused: false, wasSeen: true }];
  readonly #byValue = new Map<string, number>();
  /** By node: the oldest that it may be at, and what informed of that. */
  readonly #floors = { DNS: new Map<string, Floor>(), API: new Map<string, Floor>() };

  constructor(name: string) {
    this.name = name;
  }

  floor(node: string, view: View): number {
    return this.#floors[view].get(node)?.at ?? 0;
  }

  /** To be called before the request is sent. */
  issue(value: string | null): Version {
    const version = { value, sequence: null, isAcknowledged: false, isRefused: false, wasSeen: false };
    if (value !== null) this.#byValue.set(value, this.#all.length);
    this.#all.push(version);
    return version;
  }

  /** `applied`: the nodes that serve it. Throws Error when sequences go back. */
  acknowledge(version: Version, sequence: number | null, applied: readonly string[]): void {
    const at = this.#all.indexOf(version);
    version.isAcknowledged = true;
    for (const node of applied) this.#raise(node, at, 'an answer');
    if (sequence === null) return;
    const before = this.#all.slice(0, at).findLast((item) => item.sequence !== null);
    if (before !== undefined && (before.sequence as number) >= sequence)
      throw new Error(`${this.name}: change ${sequence} came after ${before.sequence}`);
    version.sequence = sequence;
  }

  /** Throws Error when it was served all the same. */
  refuse(version: Version): void {
    version.isRefused = true;
    if (version.wasSeen) throw new Error(`${this.name}: ${version.value} was refused, and is served`);
  }

  /**
   * What a node has answered; `floor` is that of the moment before it was asked. Throws Error when
   * it may not have.
   */
  saw(node: string, values: readonly string[], floor: number, view: View): void {
    if (values.length > 1) throw new Error(`${this.name} at ${node}: two values, ${values.join(' and ')}`);
    const value = values[0] ?? null;
    const at = value === null ? this.#absence(floor) : this.#byValue.get(value);
    const version = at === undefined ? undefined : this.#all[at];
    if (at === undefined || version === undefined)
      throw new Error(`${this.name} at ${node}: ${value ?? 'nothing'}, and ${this.#all[floor].value} or later is due`);
    if (at < floor)
      throw new Error(
        `${this.name} at ${node} by ${view}: ${value}, change ${version.sequence}, and ${this.#all[floor].value}, change ${this.#all[floor].sequence}, or later is due by ${this.#floors[view].get(node)?.by}`,
      );
    if (version.isRefused) throw new Error(`${this.name} at ${node}: ${value} was refused, and is served`);
    if (value !== null) version.wasSeen = true;
    this.#raise(node, at, view);
  }

  /** The node has all: it is at no older one than the last that was acknowledged. */
  applied(node: string): void {
    this.#raise(
      node,
      this.#all.findLastIndex(({ isAcknowledged }) => isAcknowledged),
      'an answer',
    );
  }

  /** The value that the node was last known to be at. */
  at(node: string): string {
    return String(this.#all[this.floor(node, 'DNS')].value);
  }

  #absence(from: number): number | undefined {
    const at = this.#all.findIndex(({ value, isRefused }, i) => i >= from && value === null && !isRefused);
    return at < 0 ? undefined : at;
  }

  #raise(node: string, at: number, by: Floor['by']): void {
    for (const view of by === 'API' ? (['API'] as const) : (['DNS', 'API'] as const))
      if (at > this.floor(node, view)) this.#floors[view].set(node, { at, by });
  }
}
