/**
 * The descriptors of a thread that no libuv knows: watched from one epoll descriptor, which wakes
 * the thread's event loop. Those of all kinds share it, so that a turn costs one epoll_wait. Each
 * has a place, in memory that main sees: a thread that is terminated closes nothing, main closes
 * what stands there.
 */
import { CallBatch } from './call-batch.ts';
import { LoopWake } from './loop-wake.ts';
import { TcpCalls } from './tcp-calls.ts';

/** Whose a descriptor is. */
export interface LoopMember {
  /** `ready`: the events of epoll that it has. Must not throw. */
  event(ready: number): void;
}

/** Who has something to do that is not to be done within the call that it comes from. */
export interface LoopTask {
  /** Must not throw. */
  runDue(): void;
}

/** Who puts off calls to the end of a turn, to make them together. */
export interface TurnEnd {
  /** After the events of a turn, before what is due. Must not throw. */
  turnEnds(): void;
}

/** The places of the loop's own descriptors. */
const EPOLL_PLACE = 0;
const PAIR_PLACE = 1;
/**
 * What `fds` needs beyond the descriptors of connections: the loop's own, and listening sockets.
 */
export const OWN_PLACES = 64;

/**
 * Events of a turn: many, since members may leave theirs for a later turn, which is to keep no
 * other member from having its own.
 */
const MAX_EVENTS = 1024;

export class DescriptorLoop {
  readonly calls = new TcpCalls(MAX_EVENTS);
  /** Called at the begin of each turn. Must not throw. */
  onTurn: (() => void) | null = null;
  /** By place: each + 1, so that 0 is none. */
  readonly #fds: Int32Array;
  readonly #members: (LoopMember | undefined)[] = [];
  readonly #free: number[] = [];
  /** Free from the next turn on: events of this one may still be theirs. */
  readonly #freed: number[] = [];
  #nextPlace = PAIR_PLACE + 1;
  readonly #wake: LoopWake;
  readonly #ends: TurnEnd[] = [];
  #batch: CallBatch | null = null;
  #batchPlace = -1;
  #due: LoopTask[] = [];
  /** By which the order of members changes from turn to turn. */
  #turns = 0;
  #isInTurn = false;
  #isDueSoon = false;
  #isClosed = false;

  /**
   * `fds`: descriptors that are open, 4 bytes each; zero. Throws an Error that says what is missing
   * here.
   */
  constructor(fds: SharedArrayBuffer) {
    this.#fds = new Int32Array(fds);
    try {
      this.#wake = new LoopWake(this.calls.epoll, () => this.#turn());
    } catch (error) {
      this.calls.close(this.calls.epoll);
      throw error;
    }
    this.#fds[EPOLL_PLACE] = this.calls.epoll + 1;
    this.#fds[PAIR_PLACE] = this.#wake.other + 1;
  }

  /**
   * A place for a descriptor, at which it is the loop's to close if the thread dies; -1: all are
   * taken, and it stays the caller's.
   */
  enter(fd: number): number {
    const slot = this.#free.pop() ?? this.#nextPlace;
    if (slot === this.#fds.length) return -1;
    if (slot === this.#nextPlace) this.#nextPlace++;
    this.#fds[slot] = fd + 1;
    return slot;
  }

  /**
   * `member` receives `events` of the descriptor at the place. False: the system has no room for
   * it.
   */
  watch(slot: number, events: number, member: LoopMember): boolean {
    this.#members[slot] = member;
    return this.calls.watch(this.#fds[slot] - 1, slot, events);
  }

  change(slot: number, events: number): void {
    this.calls.change(this.#fds[slot] - 1, slot, events);
  }

  /**
   * The descriptor is the caller's from now on: to be closed at once, or to be taken from epoll.
   */
  leave(slot: number): void {
    this.#fds[slot] = 0;
    this.#members[slot] = undefined;
    this.#freed.push(slot);
  }

  /** `task` is run soon, and not within this call. To be called once until then. */
  later(task: LoopTask): void {
    this.#due.push(task);
    if (this.#isInTurn || this.#isDueSoon) return;
    this.#isDueSoon = true;
    process.nextTick(() => this.#runDue());
  }

  /** Events are given to members at this moment: `turnEnds` follows. */
  get isInTurn(): boolean {
    return this.#isInTurn;
  }

  /** `end` is called in each turn that had events. */
  endsTurns(end: TurnEnd): void {
    this.#ends.push(end);
  }

  /** By which calls are put together, closed with the loop; null: it is not to be had here. */
  openBatch(capacity: number): CallBatch | null {
    if (this.#batch !== null) return null;
    let batch: CallBatch;
    try {
      batch = new CallBatch(capacity);
    } catch {
      return null;
    }
    this.#batchPlace = this.enter(batch.fd);
    if (this.#batchPlace >= 0) {
      this.#batch = batch;
      return batch;
    }
    batch.close();
    this.calls.close(batch.fd);
    return null;
  }

  /** To be called when nobody is left. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#batch !== null) {
      this.leave(this.#batchPlace);
      this.#batch.close();
      this.calls.close(this.#batch.fd);
    }
    this.#fds[EPOLL_PLACE] = 0;
    this.#fds[PAIR_PLACE] = 0;
    this.#wake.close();
    this.calls.close(this.calls.epoll);
  }

  #turn(): void {
    const { calls } = this;
    // Before events are given out: `turnEnds` follows only if there are any.
    this.onTurn?.();
    this.#isInTurn = true;
    for (let slot = this.#freed.pop(); slot !== undefined; slot = this.#freed.pop()) this.#free.push(slot);
    const count = calls.wait(0);
    // Who leaves its event for a later turn because of those before it is first one day.
    const first = count > 1 ? ++this.#turns % count : 0;
    for (let i = first; i < count; i++) this.#members[calls.tag(i)]?.event(calls.ready(i));
    for (let i = 0; i < first; i++) this.#members[calls.tag(i)]?.event(calls.ready(i));
    if (count > 0) for (const end of this.#ends) end.turnEnds();
    this.#isInTurn = false;
    if (this.#due.length > 0) this.#runDue();
  }

  /**
   * What becomes due meanwhile waits for the next turn of the loop, so that nobody keeps it from
   * others. The Immediate only makes that turn come: one that ran what is due would be set again by
   * itself and by each turn, and so there would be one more of them with every turn.
   */
  #runDue(): void {
    const due = this.#due;
    this.#due = [];
    this.#isDueSoon = true;
    for (const task of due) task.runDue();
    this.#isDueSoon = this.#due.length > 0;
    if (this.#isDueSoon) setImmediate(NOTHING);
  }
}

const NOTHING = (): void => {};
