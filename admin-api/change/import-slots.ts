/**
 * Limits concurrent imports, and other work on thousands of records. Each import has all records of
 * its zone in memory (import-memory.ts), and commits of one at a time. An account runs one import
 * at a time.
 */
import { FairSlots, SlotsFullError } from '../../core/base/fair-slots.ts';
import type { Registry } from '../../core/base/metrics/registry.ts';
import type { Id } from '../../core/store/keys.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import type { Context } from '../http/route.ts';
import { ImportMemory, importMemory, type MemoryRoom } from './import-memory.ts';
import { type ImportTarget, RunningImport } from './running-import.ts';

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

/** An import to run. `replaced`: records of the zone before. */
interface ImportWork extends ImportTarget {
  readonly file: Uint8Array;
  readonly replaced?: number;
}

interface ListedImport {
  readonly running: RunningImport;
  /** An estimate of its place in the queue, 1 for the next; null: it runs. */
  readonly position: number | null;
}

const UNWATCHED: MemoryRoom = { room: () => Number.POSITIVE_INFINITY, wholeRoom: Number.POSITIVE_INFINITY };

export class ImportSlots {
  readonly #slots = new FairSlots({ slots: SLOTS, queue: MAX_QUEUED });
  readonly #memory: ImportMemory;
  /** In the order in which they arrived. */
  readonly #imports = new Set<RunningImport>();

  /** `memory`: of the process; omitted: it is not watched. */
  constructor(
    memory: MemoryRoom = UNWATCHED,
    private readonly hasSmallHeaps = false,
  ) {
    this.#memory = new ImportMemory(memory);
  }

  /** Like `run`, for an import, whose memory is reserved first. It is listed until it ends. */
  async runImport<T>(
    context: SlotContext & Pick<Context<Caller>, 'requestId'>,
    { file, replaced, ...target }: ImportWork,
    work: (running: RunningImport) => Promise<T>,
  ): Promise<T> {
    const { caller, client, requestId } = context;
    const { hasSmallHeaps } = this;
    const running = new RunningImport(requestId, caller.account.id, target);
    const start = (): Promise<T> => {
      running.begin('reading');
      return work(running);
    };
    this.#imports.add(running);
    try {
      return await this.run(context, async () =>
        this.#memory.run(await importMemory(file, { replaced, hasSmallHeaps }), client.signal, start),
      );
    } finally {
      this.#imports.delete(running);
    }
  }

  /** Imports that run or wait. Their number is limited. */
  list(): ListedImport[] {
    const turns = new Map<Id, number>();
    const queued: { readonly running: RunningImport; readonly turn: number }[] = [];
    for (const running of this.#imports) {
      const turn = turns.get(running.callerId) ?? 0;
      turns.set(running.callerId, turn + 1);
      if (running.phase === 'queued') queued.push({ running, turn });
    }
    // Accounts take turns.
    queued.sort((a, b) => a.turn - b.turn);
    const positions = new Map(queued.map(({ running }, i) => [running, i + 1]));
    return Array.from(this.#imports, (running) => ({ running, position: positions.get(running) ?? null }));
  }

  register(metrics: Registry): void {
    metrics.read(
      'gauge',
      'waypost_imports',
      'Imports of zone files above 64 KB, by state: running or queued.',
      ['state'],
      (emit) => {
        let queued = 0;
        for (const { phase } of this.#imports) if (phase === 'queued') queued++;
        emit(this.#imports.size - queued, 'running');
        emit(queued, 'queued');
      },
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
