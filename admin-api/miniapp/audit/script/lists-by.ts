/** Groups items by key. */
export function listsBy<T>(all: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const item of all) {
    const list = lists.get(key(item));
    if (list === undefined) lists.set(key(item), [item]);
    else list.push(item);
  }
  return lists;
}
