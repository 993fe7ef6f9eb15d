/** Follows the imports of a command on the daemon, and shows the phase of one of them. */
import type { ApiResponse } from '../../routes/routes.ts';
import type { ApiClient } from '../base/client.ts';
import { zoneName } from '../base/domains.ts';

/** Milliseconds between two requests, and from the start of an import to the first. */
const INTERVAL = 1000;

type Import = ApiResponse<'listImports'>['imports'][number];

/** `null`: none of the imports is in progress on the daemon. */
type Show = (running: Import | null) => void;

export class ImportWatch {
  readonly #zones = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  /** An older daemon, or a token that is not allowed to list imports. */
  #isRefused = false;

  constructor(
    private readonly client: ApiClient,
    private readonly show: Show,
  ) {}

  /** Runs the import of a zone. */
  async follow<T>(zone: string, work: () => Promise<T>): Promise<T> {
    const name = zoneName(zone);
    this.#zones.add(name);
    this.#schedule();
    try {
      return await work();
    } finally {
      this.#zones.delete(name);
      if (this.#zones.size === 0) this.stop();
    }
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(): void {
    if (this.#isRefused) return;
    this.#timer ??= setTimeout(() => void this.#look(), INTERVAL);
  }

  async #look(): Promise<void> {
    try {
      const { status, body } = await this.client.GET('/api/v1/imports', {
        params: { query: { account: this.client.account } },
        parseAs: 'reply',
      });
      if (status === 200) this.show(body.imports.find(({ domain }) => this.#zones.has(domain)) ?? null);
      else this.#isRefused = true;
    } catch {
      // The import itself reports a daemon that cannot be reached.
      this.#isRefused = true;
    }
    this.stop();
    if (this.#zones.size > 0) this.#schedule();
  }
}

/** What an import does now, for people. */
export function describePhase({ phase, position, records }: Import): string {
  if (phase === 'queued') return `waiting for other imports, number ${position ?? 1} in the queue`;
  if (phase === 'records' && records !== null) return `writing records: ${records.done} of ${records.total}`;
  return PHASES[phase];
}

const PHASES: Readonly<Record<Import['phase'], string>> = {
  queued: 'waiting for other imports',
  reading: 'reading the file',
  comparing: 'comparing the file with the zone',
  committing: 'writing the records',
  waiting: 'waiting until another import is written',
  records: 'writing records',
  answers: 'writing the answers',
  serving: 'publishing the answers',
  cleanup: 'deleting the old records',
};
