/**
 * Batches recv(2) and send(2) calls into one system call, through a ring of io_uring(7). No call
 * blocks (MSG_DONTWAIT): all have completed when `run` returns, and the kernel never holds a
 * pending call. Uses koffi. The layouts are those of <linux/io_uring.h>, the same on all
 * processors.
 *
 * Containers often forbid io_uring, and `kernel.io_uring_disabled` can turn it off: the constructor
 * then throws.
 */
import koffi from 'koffi';
import { MSG_DONTWAIT, MSG_NOSIGNAL } from './socket-constants.ts';

/** System call numbers, the same on x86-64 and arm64. */
const SYS_IO_URING_SETUP = 425;
const SYS_IO_URING_ENTER = 426;
const SETUP_SUBMIT_ALL = 1 << 7;
const SETUP_SINGLE_ISSUER = 1 << 12;
/** A bit of `features`: both rings are in one mapping (Linux 5.4). */
const FEATURE_SINGLE_MMAP = 1;
const OFFSET_RINGS = 0;
const OFFSET_ENTRIES = 0x1000_0000;
const OP_SEND = 26;
const OP_RECV = 27;

const PROT_READ_WRITE = 3;
const MAP_SHARED_POPULATE = 0x8001;
const MAP_FAILED = -1;

/** struct io_uring_params: 120 bytes. Indices of 4-byte words. */
const PARAMS_WORDS = 64;
const PARAMS = { sqEntries: 0, cqEntries: 1, flags: 2, features: 5, sq: 10, cq: 20 } as const;
/** Indices in struct io_sqring_offsets and struct io_cqring_offsets. */
const SQ_OFFSETS = { head: 0, tail: 1, mask: 2, array: 6 } as const;
const CQ_OFFSETS = { head: 0, tail: 1, mask: 2, entries: 5 } as const;
/** Number of words in struct io_uring_sqe and in struct io_uring_cqe. */
const SQE_WORDS = 16;
const CQE_WORDS = 4;
/** Word indices of the used fields of struct io_uring_sqe; the others stay 0. */
const SQE = { operation: 0, fd: 1, address: 4, length: 6, flags: 7, tag: 8 } as const;

const HIGH = 2 ** 32;

type Call = (...values: readonly (number | Uint32Array)[]) => number;

export class CallBatch {
  /** The main thread closes the descriptor if this thread dies. */
  readonly fd: number;
  /** Maximum number of queued calls. */
  readonly capacity: number;
  /** Number of queued calls. */
  count = 0;
  readonly #sendCall: Call;
  readonly #recvCall: Call;
  readonly #munmap: Call;
  readonly #mappings: readonly (readonly [address: number, bytes: number])[];
  readonly #rings: Uint32Array;
  readonly #entries: Int32Array;
  readonly #results: Int32Array;
  readonly #sqHead: number;
  readonly #sqTail: number;
  readonly #sqMask: number;
  readonly #cqHead: number;
  readonly #cqTail: number;
  readonly #cqMask: number;

  /**
   * Throws an Error if io_uring is unavailable. `capacity`: a power of two. `enter`: the result of
   * `loadEnter`.
   */
  constructor(
    capacity: number,
    private readonly enter: Call = loadEnter(),
  ) {
    const libc = koffi.load(null);
    const setup = libc.func('syscall', 'long', ['long', 'uint', 'void*']) as Call;
    this.#sendCall = libc.func('long send(int, uintptr_t, size_t, int)') as Call;
    this.#recvCall = libc.func('long recv(int, uintptr_t, size_t, int)') as Call;
    this.#munmap = libc.func('int munmap(uintptr_t, size_t)') as Call;
    const mmap = libc.func('long mmap(uintptr_t, size_t, int, int, int, long)') as Call;
    const close = libc.func('int close(int)') as Call;
    const params = new Uint32Array(PARAMS_WORDS);
    params[PARAMS.flags] = SETUP_SUBMIT_ALL | SETUP_SINGLE_ISSUER;
    this.fd = setup(SYS_IO_URING_SETUP, capacity, params);
    if (this.fd < 0) throw new Error(`io_uring_setup: errno ${koffi.errno()}`);
    const sq = params.subarray(PARAMS.sq);
    const cq = params.subarray(PARAMS.cq);
    this.capacity = params[PARAMS.sqEntries];
    const ringBytes = Math.max(
      sq[SQ_OFFSETS.array] + this.capacity * 4,
      cq[CQ_OFFSETS.entries] + params[PARAMS.cqEntries] * CQE_WORDS * 4,
    );
    const entryBytes = this.capacity * SQE_WORDS * 4;
    const map = (bytes: number, offset: number): number =>
      mmap(0, bytes, PROT_READ_WRITE, MAP_SHARED_POPULATE, this.fd, offset);
    const isSingle = (params[PARAMS.features] & FEATURE_SINGLE_MMAP) !== 0;
    const rings = isSingle ? map(ringBytes, OFFSET_RINGS) : MAP_FAILED;
    const entries = isSingle ? map(entryBytes, OFFSET_ENTRIES) : MAP_FAILED;
    this.#mappings = [[rings, ringBytes] as const, [entries, entryBytes] as const].filter(
      ([address]) => address !== MAP_FAILED,
    );
    if (this.#mappings.length < 2) {
      for (const [address, bytes] of this.#mappings) this.#munmap(address, bytes);
      close(this.fd);
      throw new Error('cannot map the memory of io_uring');
    }
    this.#rings = new Uint32Array(koffi.view(BigInt(rings), ringBytes & ~3));
    this.#entries = new Int32Array(koffi.view(BigInt(entries), entryBytes));
    this.#results = new Int32Array(this.#rings.buffer, cq[CQ_OFFSETS.entries], params[PARAMS.cqEntries] * CQE_WORDS);
    this.#sqHead = sq[SQ_OFFSETS.head] >>> 2;
    this.#sqTail = sq[SQ_OFFSETS.tail] >>> 2;
    this.#sqMask = this.#rings[sq[SQ_OFFSETS.mask] >>> 2];
    this.#cqHead = cq[CQ_OFFSETS.head] >>> 2;
    this.#cqTail = cq[CQ_OFFSETS.tail] >>> 2;
    this.#cqMask = this.#rings[cq[CQ_OFFSETS.mask] >>> 2];
    const array = sq[SQ_OFFSETS.array] >>> 2;
    for (let i = 0; i < this.capacity; i++) this.#rings[array + i] = i;
  }

  /** Queues a send. The bytes must not move until `run` returns, and the queue must not be full. */
  send(fd: number, address: number, length: number): void {
    this.#add(OP_SEND, fd, address, length, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  /** Queues a recv, under the same conditions. */
  receive(fd: number, address: number, length: number): void {
    this.#add(OP_RECV, fd, address, length, MSG_DONTWAIT);
  }

  #add(operation: number, fd: number, address: number, length: number, flags: number): void {
    const entries = this.#entries;
    const tail = this.#rings[this.#sqTail];
    const at = (tail & this.#sqMask) * SQE_WORDS;
    entries[at + SQE.operation] = operation;
    entries[at + SQE.fd] = fd;
    entries[at + SQE.address] = address >>> 0;
    entries[at + SQE.address + 1] = Math.floor(address / HIGH);
    entries[at + SQE.length] = length;
    entries[at + SQE.flags] = flags;
    entries[at + SQE.tag] = this.count;
    this.#rings[this.#sqTail] = tail + 1;
    this.count++;
  }

  /**
   * Executes the queued calls in order. `results` receives, by index of the call, its return value
   * or the negated errno.
   */
  run(results: Int32Array): void {
    const calls = this.count;
    this.count = 0;
    if (this.enter(SYS_IO_URING_ENTER, this.fd, calls, 0, 0, 0, 0) < calls) this.#callSingly(results, calls);
    const rings = this.#rings;
    let head = rings[this.#cqHead];
    const tail = rings[this.#cqTail];
    for (; head !== tail; head = (head + 1) >>> 0) {
      const at = (head & this.#cqMask) * CQE_WORDS;
      results[this.#results[at]] = this.#results[at + 2];
    }
    rings[this.#cqHead] = head;
  }

  /**
   * Executes the calls that the kernel did not accept, usually for lack of memory, with one system
   * call each, and removes them from the queue. Reporting -EAGAIN instead would stall the callers:
   * with EPOLLET, epoll reports a socket again only after a call has found it full or empty.
   */
  #callSingly(results: Int32Array, calls: number): void {
    const rings = this.#rings;
    const entries = this.#entries;
    const tail = rings[this.#sqTail];
    const head = rings[this.#sqHead];
    rings[this.#sqTail] = head;
    for (let from = head, i = calls - ((tail - head) >>> 0); i < calls; i++, from = (from + 1) >>> 0) {
      const at = (from & this.#sqMask) * SQE_WORDS;
      const call = entries[at + SQE.operation] === OP_SEND ? this.#sendCall : this.#recvCall;
      const address = (entries[at + SQE.address] >>> 0) + entries[at + SQE.address + 1] * HIGH;
      const length = call(entries[at + SQE.fd], address, entries[at + SQE.length], entries[at + SQE.flags]);
      results[i] = length < 0 ? -koffi.errno() : length;
    }
  }

  /**
   * Unmaps the rings; no other method may be called afterwards. The caller closes the descriptor.
   */
  close(): void {
    for (const [address, bytes] of this.#mappings) this.#munmap(address, bytes);
  }
}

/** io_uring_enter(2). */
export function loadEnter(): Call {
  const types = ['long', 'int', 'uint', 'uint', 'uint', 'uintptr_t', 'size_t'];
  return koffi.load(null).func('syscall', 'int', types) as Call;
}
