/** Reorders items so that owners take turns: each owner's first item, then each second one. */
export function inTurns<Item>(items: readonly Item[], ownerOf: (item: Item) => number | string): Item[] {
  const counts = new Map<number | string, number>();
  const rounds: Item[][] = [];
  for (const item of items) {
    const owner = ownerOf(item);
    const round = counts.get(owner) ?? 0;
    counts.set(owner, round + 1);
    rounds[round] ??= [];
    rounds[round].push(item);
  }
  return rounds.flat();
}
