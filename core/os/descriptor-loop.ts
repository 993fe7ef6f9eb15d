/**
 * Watches descriptors of a thread that libuv does not manage, with one epoll descriptor that wakes
 * the event loop. All kinds of descriptors share it, so that a turn costs one epoll_wait. Each
 * descriptor has a slot in shared memory: a terminated thread closes nothing, so the main thread
 * closes the descriptors in its slots.
 */

import { Socket } from 'node:net';
import koffi from 'koffi';
import { CallBatch } from './call-batch.ts';
import { EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLLIN, loadEpollControl } from './libc.ts';
import { AF_UNIX, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_STREAM } from './socket-constants.ts';
import { TcpCalls } from './tcp-calls.ts';

/** The handler of a descriptor. */
export interface LoopMember {
  /** `ready`: the epoll events of the descriptor. Must not throw. */
  event(ready: number): void;
}

/** A task that must not run inside the call that schedules it. */
export interface LoopTask {
  /** Must not throw. */
  runDue(): void;
}

/** A handler that collects calls during a turn, to make them together at the end. */
export interface TurnEnd {
  /** Called after the events of a turn, before due tasks. Must not throw. */
  turnEnds(): void;
}

/** Slots of the loop's own descriptors. */
const EPOLL_PLACE = 0;
const PAIR_PLACE = 1;
/** Slots in `fds` in addition to connections: the loop's own descriptors, and listening sockets. */
export const OWN_PLACES = 64;

/**
 * Maximum number of events of a turn. It is large, since members can defer their events to a later
 * turn, and must not delay other members.
 */
const MAX_EVENTS = 1024;

export class DescriptorLoop {
  readonly calls = new TcpCalls(MAX_EVENTS);
  /** Called at the start of each turn. Must not throw. */
  onTurn: (() => void) | null = null;
  /** Descriptors by slot, each plus 1; 0: the slot is empty. */
  readonly #fds: Int32Array;
  readonly #members: (LoopMember | undefined)[] = [];
  readonly #free: number[] = [];
  /** Slots that become free in the next turn: events of this turn may still refer to them. */
  readonly #freed: number[] = [];
  #nextPlace = PAIR_PLACE + 1;
  readonly #wake: LoopWake;
  readonly #ends: TurnEnd[] = [];
  #batch: CallBatch | null = null;
  #batchPlace = -1;
  #due: LoopTask[] = [];
  /** Counts turns, to rotate the order of members. */
  #turns = 0;
  #isInTurn = false;
  #isDueSoon = false;
  #isClosed = false;

  /** `fds`: the slots, 4 bytes each, all zero. Throws an Error that names the missing feature. */
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
   * Assigns a slot to a descriptor, so that it is closed if the thread dies. -1: all slots are
   * used, and the caller remains responsible.
   */
  enter(fd: number): number {
    const slot = this.#free.pop() ?? this.#nextPlace;
    if (slot === this.#fds.length) return -1;
    if (slot === this.#nextPlace) this.#nextPlace++;
    this.#fds[slot] = fd + 1;
    return slot;
  }

  /**
   * `member` receives `events` of the descriptor in the slot. False: the kernel has reached a
   * limit.
   */
  watch(slot: number, events: number, member: LoopMember): boolean {
    this.#members[slot] = member;
    return this.calls.watch(this.#fds[slot] - 1, slot, events);
  }

  change(slot: number, events: number): void {
    this.calls.change(this.#fds[slot] - 1, slot, events);
  }

  /** Frees the slot. The caller must then close the descriptor or remove it from epoll. */
  leave(slot: number): void {
    this.#fds[slot] = 0;
    this.#members[slot] = undefined;
    this.#freed.push(slot);
  }

  /** Runs `task` soon, but not inside this call. Must not be called again before the task runs. */
  later(task: LoopTask): void {
    this.#due.push(task);
    if (this.#isInTurn || this.#isDueSoon) return;
    this.#isDueSoon = true;
    process.nextTick(() => this.#runDue());
  }

  /** Whether a turn is delivering events; `turnEnds` follows. */
  get isInTurn(): boolean {
    return this.#isInTurn;
  }

  /** Registers `end` for each turn with events. */
  endsTurns(end: TurnEnd): void {
    this.#ends.push(end);
  }

  /** A batch of calls, closed with the loop; null: unavailable. */
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

  /** Call it after all members have left. */
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
    // First, since `turnEnds` follows only in turns with events.
    this.onTurn?.();
    this.#isInTurn = true;
    for (let slot = this.#freed.pop(); slot !== undefined; slot = this.#freed.pop()) this.#free.push(slot);
    const count = calls.wait(0);
    // Rotates the order, so that a member that defers its events after others is first in some
    // turn.
    const first = count > 1 ? ++this.#turns % count : 0;
    for (let i = first; i < count; i++) this.#members[calls.tag(i)]?.event(calls.ready(i));
    for (let i = 0; i < first; i++) this.#members[calls.tag(i)]?.event(calls.ready(i));
    if (count > 0) for (const end of this.#ends) end.turnEnds();
    this.#isInTurn = false;
    if (this.#due.length > 0) this.#runDue();
  }

  /**
   * Tasks that are added meanwhile run in the next turn, so that they do not delay other work. The
   * Immediate only triggers that turn. If it ran the tasks itself, each turn would add one more
   * Immediate.
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

type Call = (...values: readonly (number | string | Uint8Array)[]) => number;

/**
 * Lets an epoll descriptor wake the event loop of a thread without a libuv handle. A handle must be
 * closed before the thread ends, but a terminated thread closes nothing, and Node then aborts the
 * process.
 *
 * The descriptor is added to the loop's own epoll (`uv_backend_fd`, which libuv documents), tagged
 * with the number of an idle Node socket. libuv finds the watcher of an event by that number
 * (`epoll_data.fd`, in all of libuv 1), reads the socket without data, and the loop takes its turn.
 * An Immediate that does not keep the loop alive then runs, and schedules itself again. A wake-up
 * costs 2 µs.
 */
class LoopWake {
  readonly #control = loadEpollControl();
  readonly #close: Call;
  readonly #backend: number;
  readonly #socket: Socket;
  /** The other end of the pair; it keeps the socket open. */
  readonly other: number;
  #isClosed = false;

  /**
   * `turn` is called in each turn of the loop, after its events. Events of `epoll` trigger a turn.
   * Throws an Error if the event loop is not accessible.
   */
  constructor(
    private readonly epoll: number,
    private readonly turn: () => void,
  ) {
    if (!process.versions.uv.startsWith('1.'))
      throw new Error(`libuv 1 is required, but this is ${process.versions.uv}`);
    const library = koffi.load(null);
    const isolate = (library.func('uintptr_t _ZN2v87Isolate10GetCurrentEv()') as Call)();
    const loop = (library.func('uintptr_t _ZN4node19GetCurrentEventLoopEPN2v87IsolateE(uintptr_t)') as Call)(isolate);
    this.#backend = (library.func('int uv_backend_fd(uintptr_t)') as Call)(loop);
    this.#close = library.func('int close(int)') as Call;
    const pair = new Int32Array(2);
    const socketpair = library.func('int socketpair(int, int, int, void*)');
    if (this.#backend < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) !== 0)
      throw new Error('cannot access the event loop');
    this.other = pair[1];
    this.#socket = new Socket({ fd: pair[0] });
    this.#socket.on('error', () => {});
    // libuv registers the number when the socket starts to read.
    this.#socket.resume();
    if (this.#join(pair[0])) return;
    this.close();
    throw new Error('cannot wake the event loop');
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#control(this.#backend, EPOLL_CTL_DEL, this.epoll, 0, 0);
    this.#socket.destroy();
    this.#close(this.other);
  }

  #join(fd: number): boolean {
    this.#schedule();
    return this.#control(this.#backend, EPOLL_CTL_ADD, this.epoll, fd, EPOLLIN);
  }

  readonly #run = (): void => {
    if (this.#isClosed) return;
    this.#schedule();
    this.turn();
  };

  #schedule(): void {
    setImmediate(this.#run).unref();
  }
}
