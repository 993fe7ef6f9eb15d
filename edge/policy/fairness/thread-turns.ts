/**
 * Shares the turns of a thread's event loop among sites. A turn handles the input that has arrived.
 * A site that has spent its share waits for the next turn, so its load hardly delays requests of
 * other sites. Waiting connections are not read, so TCP flow control slows down their clients. A
 * site waits at most for the rest of a turn: an otherwise idle thread starts the next turn
 * immediately.
 *
 * A site spends its share on pending output and queued requests first, then on new input. The order
 * of output and queued requests alternates.
 *
 * Costs are counted, not measured (edge/http/transport/flusher.ts). Counting costs almost
 * nothing and gives the same result on every machine.
 */
import type { Flushable, TurnShare } from '../../http/transport/flusher.ts';

/** Cost per turn, about 100 µs, that sites share if more than one is active. */
export const QUANTUM = 32;
/** Minimum share of a site, for any number of busy sites. */
const MIN_QUANTUM = 4;
/** Share of the only active site. Bounds the delay of the first request of another site. */
export const QUANTUM_ALONE = 1024;

/** An event loop with turns: core/os/descriptor-loop.ts. */
export interface TurningLoop {
  /** Called at the start of each turn. */
  onTurn: (() => void) | null;
}

/** One turn in four handles requests and input only, so pending output cannot starve them. */
const READING_TURN = 4;

const NOTHING = (): void => {};

export class ThreadTurns {
  /** The number of the current turn. */
  number = 0;
  /** Maximum cost for each site in this turn. */
  quantum = QUANTUM_ALONE;
  /** Called at the start of each turn. */
  onTurn: () => void = NOTHING;
  /** Triggers a turn even if no input arrives. */
  readonly #trigger: () => void;
  #isScheduled = false;
  #isContended = false;
  /** Number of sites that have spent their share of the turn. */
  #spent = 0;
  /** Sites with output that waits for their share. */
  #flushing: SiteShare[] = [];

  /** `loop`: null: setImmediate runs each turn. */
  constructor(loop: TurningLoop | null) {
    this.#trigger = (): void => void setImmediate(loop === null ? this.next : NOTHING);
    if (loop !== null) loop.onTurn = this.next;
  }

  readonly next = (): void => {
    this.number++;
    this.#isScheduled = false;
    this.quantum = this.#isContended
      ? Math.max(MIN_QUANTUM, Math.floor(QUANTUM / Math.max(1, this.#spent)))
      : QUANTUM_ALONE;
    this.#spent = 0;
    const order = this.number % READING_TURN;
    if (order % 2 === 1) this.#flush();
    this.onTurn();
    if (order === 2) this.#flush();
    if (this.#flushing.length > 0) this.scheduleNext();
  };

  #flush(): void {
    if (this.#flushing.length === 0) return;
    const sites = this.#flushing;
    this.#flushing = [];
    for (const site of sites) if (!site.flush()) this.#flushing.push(site);
  }

  /** Queues a site whose output waits for its share. */
  flushes(site: SiteShare): void {
    this.#flushing.push(site);
    this.scheduleNext();
  }

  /** Whether more than one site is active. */
  set isContended(isContended: boolean) {
    if (isContended && !this.#isContended) this.quantum = QUANTUM;
    this.#isContended = isContended;
  }

  /** Schedules the next turn. Without a loop, only this ends a turn. */
  scheduleNext(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#trigger();
  }

  /** A site has spent its share of the turn. */
  spent(): void {
    this.#spent++;
    this.scheduleNext();
  }
}

/** The share of one site. */
export class SiteShare implements TurnShare {
  #turn: number;
  /** The share in `#turn`. */
  #quantum: number;
  /** Cost in this turn, including the excess of earlier turns. */
  #spent = 0;
  readonly #outputs: Flushable[] = [];

  constructor(private readonly turns: ThreadTurns) {
    this.#turn = turns.number;
    this.#quantum = turns.quantum;
  }

  get isSpent(): boolean {
    if (this.#turn !== this.turns.number) this.#enterTurn();
    if (this.#spent < this.turns.quantum) return false;
    this.turns.scheduleNext();
    return true;
  }

  spend(cost: number): void {
    if (this.#turn !== this.turns.number) this.#enterTurn();
    const before = this.#spent;
    this.#spent += cost;
    const { quantum } = this.turns;
    if (before < quantum && this.#spent >= quantum) this.turns.spent();
  }

  flushLater(output: Flushable): void {
    if (this.#outputs.length === 0) this.turns.flushes(this);
    this.#outputs.push(output);
  }

  /** Flushes pending output within the share. False: some output is still pending. */
  flush(): boolean {
    const outputs = this.#outputs;
    let flushed = 0;
    while (flushed < outputs.length && !this.isSpent) outputs[flushed++].flushDue();
    outputs.splice(0, flushed);
    return outputs.length === 0;
  }

  #enterTurn(): void {
    const { number, quantum } = this.turns;
    const earned = this.#quantum + quantum * (number - this.#turn - 1);
    this.#spent = Math.max(0, this.#spent - earned);
    this.#turn = number;
    this.#quantum = quantum;
  }
}
