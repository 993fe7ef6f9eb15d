/** Computes the units that the top levels of a package's scripts reach. */
import type { Graph } from './graph.ts';
import { isOfPlatform } from './implicit-names.ts';
import type { Key, Unit, Wait } from './units.ts';

type Certainty =
  /** Follows only names that refer to one function. */
  | 'certain'
  /** Also follows names that several functions or the platform have, and texts. */
  | 'likely'
  /** Follows any name, also computed names. */
  | 'possible';

interface From {
  readonly certainty: Certainty;
  /** Scripts of libraries: traversal does not start at their top levels. */
  readonly without: ReadonlySet<number>;
  /** Scripts whose texts may name members. */
  readonly texts?: Iterable<number>;
}

export function reachedUnits(graph: Graph, { certainty, without, texts = [] }: From): ReadonlySet<Unit> {
  const run = ++graph.runs;
  const units = new Set<Unit>();
  const open: Unit[] = [];
  const openKeys: Key[] = [];
  /** Keys that become reached together with another key. */
  const waiting = new Map<Key, Wait[]>();

  const isTrusted = (unit: Unit): boolean => without.has(unit.script);
  const isReached = (key: Key): boolean => key.run === run;
  const enter = (unit: Unit): void => {
    if (units.has(unit)) return;
    units.add(unit);
    open.push(unit);
  };
  const tryEnter = (unit: Unit): void => {
    if (unit.bound === undefined) {
      if (unit.around !== undefined && units.has(unit.around)) enter(unit);
    } else if ((isTrusted(unit) || unit.around === undefined || units.has(unit.around)) && unit.bound.some(isReached))
      enter(unit);
  };
  const addKey = (key: Key): void => {
    if (key.run === run) return;
    key.run = run;
    openKeys.push(key);
  };
  const nameTexts = (script: number): void => {
    for (const text of graph.texts[script]) {
      const key = graph.memberIfAny(text);
      if (key !== undefined) addKey(key);
    }
  };
  const nameKey = (key: Key): void => {
    if (certainty !== 'certain') addKey(key.weak ?? key);
    else if (key.weak !== undefined) addKey(key.weak);
    else if (key.kind === 'member' ? key.count <= 1 && !isOfPlatform(key.name) : key.kind !== 'object') addKey(key);
  };
  /** Reaches a key and its result. */
  const useKey = (key: Key): void => {
    addKey(key);
    if (key.useRun === run || key.kind !== 'variable') return;
    key.useRun = run;
    if (key.result !== undefined) addKey(key.result);
    for (const { result } of key.bound) if (result !== undefined) addKey(result);
  };
  const addWait = ({ to, isUse }: Wait): void => {
    if (isUse) useKey(to);
    else nameKey(to);
  };
  const addKeysOf = (unit: Unit): void => {
    if (unit.result !== undefined && (certainty === 'possible' || hasOtherBindings(unit))) addKey(unit.result);
    for (const key of unit.reaches) nameKey(key);
    for (const key of unit.uses) useKey(key);
    if (certainty !== 'certain') for (const key of unit.keeps) useKey(key);
    for (const wait of unit.waits)
      if (isReached(wait.after)) addWait(wait);
      else if (!isTrusted(unit)) push(waiting, wait.after, wait);
  };

  // Each part of a library is accessible by name, whatever code encloses it.
  if (without.size > 0)
    for (const unit of graph.units) if (isTrusted(unit)) for (const wait of unit.waits) push(waiting, wait.after, wait);
  for (const script of texts) nameTexts(script);
  // A computed, copied or enumerated name may refer to any key.
  if (certainty === 'possible') for (const key of graph.named()) addKey(key);
  if (certainty !== 'certain') addKey(graph.stored);
  for (const top of graph.tops) if (!isTrusted(top)) enter(top);

  let callsOpen = false;
  for (;;) {
    const unit = open.pop();
    const key = unit === undefined ? openKeys.pop() : undefined;
    if (unit === undefined && key === undefined) break;
    if (unit !== undefined) {
      addKeysOf(unit);
      for (const child of unit.inner) tryEnter(child);
      if (unit.callsOpen && certainty === 'likely' && !callsOpen) {
        callsOpen = true;
        for (const script of graph.texts.keys()) nameTexts(script);
      }
    }
    if (key !== undefined) {
      for (const wait of waiting.get(key) ?? []) addWait(wait);
      for (const waiter of key.bound) tryEnter(waiter);
      // The result of a variable is the result of the functions bound to it.
      if (key.of?.kind === 'variable') for (const { result } of key.of.bound) if (result !== undefined) addKey(result);
    }
  }
  return units;
}

/** Whether the unit has a binding other than variables and collections, or runs without a name. */
const hasOtherBindings = ({ bound }: Unit): boolean => bound?.every(({ kind }) => OF_NAMES.has(kind)) !== true;
const OF_NAMES = new Set(['variable', 'stored']);

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
