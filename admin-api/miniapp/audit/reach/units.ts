/** What the call graph is made of: code, and the names that lead to it. */

/** `isUse`: with what it gives back. */
export interface Wait {
  readonly to: Key;
  readonly after: Key;
  readonly isUse: boolean;
}

const NONE: readonly Unit[] = [];

/** A function, or the top level of a script. */
export class Unit {
  /** It runs when one of these is reached. Undefined: when the code around it does. */
  bound: readonly Key[] | undefined = undefined;
  /** Those that stand in it. */
  readonly inner: Unit[] = [];
  /** What its code reaches; `uses`: with what it gives back; `keeps`: perhaps, with that. */
  readonly reaches: Key[] = [];
  readonly uses: Key[] = [];
  readonly keeps: Key[] = [];
  /** What it reaches once `after` is reached, too. */
  readonly waits: Wait[] = [];
  /** What stands for its result. */
  result: Key | undefined = undefined;
  /** It takes a member by a name that is not known, and calls one. */
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

/** What can be reached other than code: a variable, a member by its name, a result. */
export class Key {
  readonly kind: 'variable' | 'member' | 'object' | 'result' | 'stored';
  /** Functions that run when it is reached. */
  bound: readonly Unit[] = NONE;
  /** Functions that are bound to it. */
  count = 0;
  /** Of a variable that other scripts see. */
  isGlobal = false;
  /** Of a variable: it has an object that is written out, or an import. */
  isMade: boolean | undefined = undefined;
  /** The units that were last seen to reach, to use and to keep it. */
  reachedBy: Unit | undefined = undefined;
  usedBy: Unit | undefined = undefined;
  keptBy: Unit | undefined = undefined;
  /** The last run that has reached it, and used it. */
  run = 0;
  useRun = 0;
  /** What stands for its result. */
  result: Key | undefined = undefined;

  constructor(
    kind: Key['kind'],
    readonly name: string,
    /** Of a member of something that is known to be of the package: the member of anything. */
    readonly weak?: Key,
    /** Of the result of what a name means: that name. */
    readonly of?: Key,
  ) {
    this.kind = kind;
  }

  bind(unit: Unit): void {
    if (this.bound === NONE) this.bound = [unit];
    else (this.bound as Unit[]).push(unit);
  }
}
