/**
 * Shares the turns of a thread's event loop among sites. A turn handles what has arrived: a site
 * whose share of it is spent waits for the next one, so that a request of another site waits for
 * little of it, whatever the site does. Connections that wait are not read, and the system slows
 * down their clients. Nothing is kept from a site but for the rest of a turn: a thread that has
 * nothing else to do begins the next one at once.
 *
 * Within its share, a site's answers leave and its waiting requests begin, in turns, before
 * anything of it is read.
 *
 * Costs are counted, not measured (edge/http/transport/turn-share.ts), which costs a request next
 * to nothing, and is the same on every machine.
 */
import type { Flushable } from '../../http/transport/flusher.ts';
import type { TurnShare } from '../../http/transport/turn-share.ts';

/** Cost of a turn, about 100 µs, that sites share if more than one is active. */
export const QUANTUM = 32;
/** However many sites spend their share, each has this one. */
const LEAST_QUANTUM = 4;
/** While one site is active: what delays the first request of another one is bounded, too. */
export const QUANTUM_ALONE = 1024;

/** What has turns: core/os/descriptor-loop.ts. */
export interface TurningLoop {
  /** To be called at the begin of each turn. */
  onTurn: (() => void) | null;
}

/** A turn of so many leaves output for later, however much there is: for what arrives. */
const READING_TURN = 4;

const NOTHING = (): void => {};

export class ThreadTurns {
  /** Of the turn. */
  number = 0;
  /** The share of each site. */
  quantum = QUANTUM_ALONE;
  /** Called at the begin of each turn. */
  onTurn: () => void = NOTHING;
  /** Makes a turn come though nothing arrives. */
  readonly #hasten: () => void;
  #isHastened = false;
  #isContended = false;
  /** Sites whose share of the turn is spent. */
  #spent = 0;
  /** Sites with output that waits for their share. */
  #flushing: SiteShare[] = [];

  /** Null: turns are those of setImmediate. */
  constructor(loop: TurningLoop | null) {
    this.#hasten = (): void => void setImmediate(loop === null ? this.next : NOTHING);
    if (loop !== null) loop.onTurn = this.next;
  }

  readonly next = (): void => {
    this.number++;
    this.#isHastened = false;
    this.quantum = this.#isContended
      ? Math.max(LEAST_QUANTUM, Math.floor(QUANTUM / Math.max(1, this.#spent)))
      : QUANTUM_ALONE;
    this.#spent = 0;
    const order = this.number % READING_TURN;
    if (order % 2 === 1) this.#flush();
    this.onTurn();
    if (order === 2) this.#flush();
    if (this.#flushing.length > 0) this.hasten();
  };

  #flush(): void {
    if (this.#flushing.length === 0) return;
    const sites = this.#flushing;
    this.#flushing = [];
    for (const site of sites) if (!site.flush()) this.#flushing.push(site);
  }

  /** The site has output that waits. */
  flushes(site: SiteShare): void {
    this.#flushing.push(site);
    this.hasten();
  }

  /** Whether more than one site is active. */
  set isContended(isContended: boolean) {
    if (isContended && !this.#isContended) this.quantum = QUANTUM;
    this.#isContended = isContended;
  }

  /** Without a loop nothing else ends a turn. */
  hasten(): void {
    if (this.#isHastened) return;
    this.#isHastened = true;
    this.#hasten();
  }

  /** A site has spent its share of the turn. */
  spent(): void {
    this.#spent++;
    this.hasten();
  }
}

/** The share of one site. */
export class SiteShare implements TurnShare {
  readonly #turns: ThreadTurns;
  #turn: number;
  /** Of that turn. */
  #quantum: number;
  /** In the turn, and what was too much in those before. */
  #spent = 0;
  readonly #outputs: Flushable[] = [];

  constructor(turns: ThreadTurns) {
    this.#turns = turns;
    this.#turn = turns.number;
    this.#quantum = turns.quantum;
  }

  get isSpent(): boolean {
    if (this.#turn !== this.#turns.number) this.#enterTurn();
    if (this.#spent < this.#turns.quantum) return false;
    this.#turns.hasten();
    return true;
  }

  spend(cost: number): void {
    if (this.#turn !== this.#turns.number) this.#enterTurn();
    const before = this.#spent;
    this.#spent += cost;
    const { quantum } = this.#turns;
    if (before < quantum && this.#spent >= quantum) this.#turns.spent();
  }

  flushLater(output: Flushable): void {
    if (this.#outputs.length === 0) this.#turns.flushes(this);
    this.#outputs.push(output);
  }

  /** What waits, as far as the share goes. False: some of it waits on. */
  flush(): boolean {
    const outputs = this.#outputs;
    let flushed = 0;
    while (flushed < outputs.length && !this.isSpent) outputs[flushed++].flushDue();
    outputs.splice(0, flushed);
    return outputs.length === 0;
  }

  #enterTurn(): void {
    const { number, quantum } = this.#turns;
    const earned = this.#quantum + quantum * (number - this.#turn - 1);
    this.#spent = Math.max(0, this.#spent - earned);
    this.#turn = number;
    this.#quantum = quantum;
  }
}
