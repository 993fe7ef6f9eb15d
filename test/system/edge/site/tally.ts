/** How often each kind of exchange has ended in which way. */

export class Tally {
  /** Of each ending how many there were of each kind. */
  readonly #endings = new Map<string, Map<string, number>>();
  readonly #kinds = new Set<string>();

  count(kind: string, ending: string): void {
    this.#kinds.add(kind);
    const kinds = this.#endings.get(ending) ?? new Map<string, number>();
    this.#endings.set(ending, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
  }

  get kinds(): number {
    return this.#kinds.size;
  }

  /** A line for each ending, the most frequent one first, as are its kinds. */
  toString(): string {
    const byCount = (a: readonly [string, number], b: readonly [string, number]): number => b[1] - a[1];
    return [...this.#endings]
      .map(([ending, kinds]): [string, number] => {
        const sum = [...kinds.values()].reduce((figure, other) => figure + other, 0);
        const each = [...kinds].sort(byCount).map(([kind, count]) => `${kind} ${count}`);
        return [`${ending} ${sum}: ${each.join(', ')}\n`, sum];
      })
      .sort(byCount)
      .map(([line]) => line)
      .join('');
  }
}
