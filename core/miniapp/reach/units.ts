/** What the call graph is made of: code, and the names that lead to it. */

/** A function, or the top level of a script. */
export class Unit {
  readonly start: number;
  readonly end: number;
  readonly around: Unit | undefined;
  readonly script: number;
  /** It runs when one of these is reached. Undefined: when the code around it does. */
  bound: readonly Key[] | undefined = undefined;
  /** Those that stand in it. */
  readonly inner: Unit[] = [];
  /** What its code reaches. */
  readonly reaches: Key[] = [];
  /** What it reaches once `after` is reached, too. */
  readonly waits: { readonly to: Key; readonly after: Key }[] = [];
  /** What stands for its result. */
  result: Key | undefined = undefined;
  /** It takes a member by a name that is not known, and calls one. */
  takesOpen = false;
  callsOpen = false;

  constructor(start: number, end: number, around: Unit | undefined, script: number) {
    this.start = start;
    this.end = end;
    this.around = around;
    this.script = script;
    around?.inner.push(this);
  }
}

/** What can be reached other than code: a variable, a member by its name, a result. */
export class Key {
  readonly name: string;
  readonly kind: 'variable' | 'member' | 'object' | 'result' | 'stored';
  /** Of a member of something that is known to be of the package: the member of anything. */
  readonly weak: Key | undefined;
  /** Of the result of what a name means: that name. */
  readonly of: Key | undefined;
  /** Functions that run when it is reached. */
  readonly bound: Unit[] = [];
  /** Functions that are bound to it. */
  count = 0;
  /** The unit that was last seen to reach it. */
  reachedBy: Unit | undefined = undefined;
  /** The last run that has reached it. */
  run = 0;
  /** What stands for its result. */
  result: Key | undefined = undefined;

  constructor(kind: Key['kind'], name: string, weak?: Key, of?: Key) {
    this.kind = kind;
    this.name = name;
    this.weak = weak;
    this.of = of;
  }
}
