/** Elements of the call graph: units of code, and the keys (names) that refer to them. */

/** Reaches `to` once `after` is reached. `isUse`: also reaches the result of `to`. */
export interface Wait {
  readonly to: Key;
  readonly after: Key;
  readonly isUse: boolean;
}

const NONE: readonly Unit[] = [];

/** A function, or the top level of a script. */
export class Unit {
  /** The unit runs when one of these is reached. Undefined: it runs with its enclosing code. */
  bound: readonly Key[] | undefined = undefined;
  /** The units that this unit directly encloses. */
  readonly inner: Unit[] = [];
  /** Keys that the code reaches. `uses`: also their results. `keeps`: stored, so perhaps used. */
  readonly reaches: Key[] = [];
  readonly uses: Key[] = [];
  readonly keeps: Key[] = [];
  /** Keys that the unit reaches only after another key is reached. */
  readonly waits: Wait[] = [];
  /** The key of the return value. */
  result: Key | undefined = undefined;
  /** The unit reads a member by a computed name; `callsOpen`: it calls such a member. */
  takesOpen = false;
  callsOpen = false;

  constructor(
    readonly start: number,
    readonly end: number,
    readonly around: Unit | undefined,
    readonly script: number,
  ) {
    around?.inner.push(this);
  }
}

/** A reachable element other than code: a variable, a member name, a result. */
export class Key {
  readonly kind: 'variable' | 'member' | 'object' | 'result' | 'stored';
  /** Functions that run when this key is reached. */
  bound: readonly Unit[] = NONE;
  /** Number of functions bound to this key. */
  count = 0;
  /** The key is a variable that other scripts share. */
  isGlobal = false;
  /** For a variable: its value may be an object literal or an import. */
  isMade: boolean | undefined = undefined;
  /** The last units that were added as reaching, using and keeping this key. */
  reachedBy: Unit | undefined = undefined;
  usedBy: Unit | undefined = undefined;
  keptBy: Unit | undefined = undefined;
  /** The last traversal that reached this key, and the last that used it. */
  run = 0;
  useRun = 0;
  /** The key of the result of this key. */
  result: Key | undefined = undefined;

  constructor(
    kind: Key['kind'],
    readonly name: string,
    /** For a member of an object of the package: the same member name on any object. */
    readonly weak?: Key,
    /** For a result: the key whose result it is. */
    readonly of?: Key,
  ) {
    this.kind = kind;
  }

  bind(unit: Unit): void {
    if (this.bound === NONE) this.bound = [unit];
    else (this.bound as Unit[]).push(unit);
  }
}
