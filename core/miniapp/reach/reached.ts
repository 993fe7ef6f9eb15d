/** What is reached from the top levels of the scripts of a package. */
import type { Graph, Key, Unit } from './graph.ts';
import { isOfPlatform } from './implicit-names.ts';

export type Certainty =
  /** Each step is by a name that means one function. */
  | 'certain'
  /** Also by names that several functions or the platform have, and by texts. */
  | 'likely'
  /** By any name. */
  | 'possible';

export interface From {
  readonly certainty: Certainty;
  /** Scripts of libraries: their top levels reach nothing. */
  readonly without: ReadonlySet<number>;
  /** Scripts whose texts may name members. */
  readonly texts?: Iterable<number>;
}

export function reachedUnits(graph: Graph, { certainty, without, texts = [] }: From): ReadonlySet<Unit> {
  const units = new Set<Unit>();
  const keys = new Set<Key>();
  const open: Unit[] = [];
  /** Units and edges that wait for a key. */
  const bound = new Map<Key, Unit[]>();
  const waiting = new Map<Key, { unit: Unit; to: Key }[]>();
  const inner = new Map<Unit, Unit[]>();
  const openKeys: Key[] = [];

  const isTrusted = (unit: Unit): boolean => without.has(unit.script);
  const meets = (key: Key): boolean => keys.has(key);
  const enter = (unit: Unit): void => {
    if (units.has(unit)) return;
    units.add(unit);
    open.push(unit);
  };
  const tryEnter = (unit: Unit): void => {
    if (unit.bound === undefined) {
      if (unit.around !== undefined && units.has(unit.around)) enter(unit);
    } else if ((isTrusted(unit) || unit.around === undefined || units.has(unit.around)) && unit.bound.some(meets))
      enter(unit);
  };
  const addKey = (key: Key): void => {
    if (keys.has(key)) return;
    keys.add(key);
    openKeys.push(key);
  };
  const nameTexts = (script: number): void => {
    for (const text of graph.texts[script]) {
      const key = graph.memberIfAny(text);
      if (key !== undefined) addKey(key);
    }
  };
  const nameKey = (key: Key): void => {
    if (key.kind !== 'member') {
      if (key.kind !== 'object' || certainty !== 'certain') addKey(key);
      return;
    }
    const weak = graph.member(key.name);
    if (key.isStrong || certainty !== 'certain' || (weak.count <= 1 && !isOfPlatform(key.name))) addKey(weak);
  };

  for (const unit of graph.units) {
    for (const key of unit.bound ?? []) {
      push(bound, key, unit);
      if (key.kind === 'variable') push(waiting, graph.resultOf(key), { unit, to: graph.resultOf(unit) });
    }
    if (unit.around !== undefined) push(inner, unit.around, unit);
    // Of a library each part may be had by its name, whatever is around it.
    if (isTrusted(unit))
      for (const { to, after } of unit.edges) if (after !== undefined) push(waiting, after, { unit, to });
  }
  for (const script of texts) nameTexts(script);
  // Whatever a name means that is computed, copied or gone over.
  if (certainty === 'possible') for (const key of graph.named()) addKey(key);
  for (const top of graph.tops) if (!isTrusted(top)) enter(top);

  let callsOpen = false;
  for (;;) {
    const unit = open.pop();
    const key = unit === undefined ? openKeys.pop() : undefined;
    if (unit === undefined && key === undefined) break;
    if (unit !== undefined) {
      if (certainty === 'possible' || unit.bound?.every(({ kind }) => kind === 'variable') !== true)
        addKey(graph.resultOf(unit));
      for (const { to, after } of unit.edges)
        if (after === undefined || keys.has(after)) nameKey(to);
        else if (!isTrusted(unit)) push(waiting, after, { unit, to });
      for (const child of inner.get(unit) ?? []) tryEnter(child);
      if (unit.callsOpen && certainty === 'likely' && !callsOpen) {
        callsOpen = true;
        for (const script of graph.texts.keys()) nameTexts(script);
      }
    }
    if (key !== undefined) {
      for (const { to } of waiting.get(key) ?? []) nameKey(to);
      for (const waiter of bound.get(key) ?? []) tryEnter(waiter);
    }
  }
  return units;
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
