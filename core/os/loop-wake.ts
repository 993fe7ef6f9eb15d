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
import { Socket } from 'node:net';
import koffi from 'koffi';
import { EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLLIN, loadEpollControl } from './epoll.ts';
import { AF_UNIX, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_STREAM } from './socket-constants.ts';

type Call = (...values: readonly (number | string | Uint8Array)[]) => number;

export class LoopWake {
  readonly #turn: () => void;
  readonly #control = loadEpollControl();
  readonly #close: Call;
  readonly #backend: number;
  readonly #epoll: number;
  readonly #socket: Socket;
  /** The other end of the pair; it keeps the socket open. */
  readonly other: number;
  #isClosed = false;

  /**
   * `turn` is called in each turn of the loop, after its events. Events of `epoll` trigger a turn.
   * Throws an Error if the event loop is not accessible.
   */
  constructor(epoll: number, turn: () => void) {
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
    this.#epoll = epoll;
    this.#turn = turn;
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
    this.#control(this.#backend, EPOLL_CTL_DEL, this.#epoll, 0, 0);
    this.#socket.destroy();
    this.#close(this.other);
  }

  #join(fd: number): boolean {
    this.#schedule();
    return this.#control(this.#backend, EPOLL_CTL_ADD, this.#epoll, fd, EPOLLIN);
  }

  readonly #run = (): void => {
    if (this.#isClosed) return;
    this.#schedule();
    this.#turn();
  };

  #schedule(): void {
    setImmediate(this.#run).unref();
  }
}
