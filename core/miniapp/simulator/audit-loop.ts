/**
 * Audits the package whenever it has changed. One audit runs at a time; it starts again if files
 * change meanwhile.
 */
import type { Audit } from '../audit.ts';
import { viewOf } from './package-folder.ts';
import type { AuditView } from './protocol.ts';

/** Files of one build are usually written within this time. */
const DEBOUNCE_MS = 150;
const MOST_FINDINGS = 500;

export class AuditLoop {
  readonly #audit: () => Promise<Audit>;
  readonly #onChange: (view: AuditView) => void;
  #view: AuditView = { state: 'waiting', verdict: null, findings: [], omitted: 0, milliseconds: 0 };
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isStale = false;
  #isClosed = false;

  constructor(audit: () => Promise<Audit>, onChange: (view: AuditView) => void) {
    this.#audit = audit;
    this.#onChange = onChange;
    onChange(this.#view);
  }

  /** The files have changed. */
  schedule(): void {
    this.#isStale = true;
    if (this.#isRunning || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), DEBOUNCE_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#isStale = false;
    this.#show({ ...this.#view, state: 'running' });
    const start = Date.now();
    try {
      const { verdict, findings, summary } = await this.#audit();
      const shown = findings.slice(0, MOST_FINDINGS).map(viewOf);
      const omitted = findings.length - shown.length + summary.omitted;
      this.#show({ state: 'finished', verdict, findings: shown, omitted, milliseconds: Date.now() - start });
    } catch {
      // Files were deleted while they were read.
      this.#show({ ...this.#view, state: 'failed' });
    }
    this.#isRunning = false;
    if (this.#isStale) this.schedule();
  }

  #show(view: AuditView): void {
    if (this.#isClosed) return;
    this.#view = view;
    this.#onChange(view);
  }
}
