/** Lists of what has the same key. */
export function listsBy<T>(all: readonly T[], key: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const one of all) {
    const list = lists.get(key(one));
    if (list === undefined) lists.set(key(one), [one]);
    else list.push(one);
  }
  return lists;
}
