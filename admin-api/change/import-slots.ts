/**
 * Limits concurrent imports, and other work on thousands of records. Each import has all records of
 * its zone in memory (import-memory.ts), and commits of one at a time. An account runs one import
 * at a time.
 */
import { FairSlots, SlotsFullError } from '../../core/base/fair-slots.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import type { Context } from '../http/route.ts';
import { ImportMemory, importMemory, type MemoryRoom } from './import-memory.ts';

/** Concurrent imports of all accounts. One account can use only one of two slots (FairSlots). */
const SLOTS = 2;
/** Queued imports of all accounts. http/body-memory.ts limits the memory of their bodies. */
const MAX_QUEUED = 256;
const RETRY_SECONDS = '10';
/**
 * Maximum size in bytes of a body that needs no slot. It costs no more than a batch (some thousand
 * records), and tools import many small zones concurrently.
 */
export const SMALL_IMPORT = 64 * 1024;

type SlotContext = Pick<Context<Caller>, 'caller' | 'client'>;

const UNWATCHED: MemoryRoom = { room: () => Number.POSITIVE_INFINITY, wholeRoom: Number.POSITIVE_INFINITY };

export class ImportSlots {
  readonly #slots = new FairSlots({ slots: SLOTS, queue: MAX_QUEUED });
  readonly #memory: ImportMemory;

  /** `memory`: of the process; omitted: it is not watched. */
  constructor(
    memory: MemoryRoom = UNWATCHED,
    private readonly hasSmallHeaps = false,
  ) {
    this.#memory = new ImportMemory(memory);
  }

  /**
   * Like `run`, for an import, whose memory is reserved first. `file`, `replaced`: importMemory.
   */
  runImport<T>(context: SlotContext, file: Uint8Array, work: () => Promise<T>, replaced = 0): Promise<T> {
    const { signal } = context.client;
    const { hasSmallHeaps } = this;
    return this.run(context, async () =>
      this.#memory.run(await importMemory(file, { replaced, hasSmallHeaps }), signal, work),
    );
  }

  /**
   * Runs `work` when the account gets a slot. Does not run it if the client disconnects first.
   * Throws HttpError 503 if the queue is full.
   */
  async run<T>({ caller, client }: SlotContext, work: () => T | Promise<T>): Promise<T> {
    // Without the network, so that accounts behind one network do not share a slot.
    const owner = { account: String(caller.account.id), network: '' };
    try {
      return await this.#slots.run(owner, async () => work(), client.signal);
    } catch (error) {
      if (!(error instanceof SlotsFullError)) throw error;
      throw new HttpError(
        503,
        'busy',
        'Too many imports of the account are waiting; send the request again when they are done.',
        { headers: { 'Retry-After': RETRY_SECONDS } },
      );
    }
  }
}
