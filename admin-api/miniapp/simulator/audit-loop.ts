/**
 * Audits the package after each change. A change cancels a running audit: its result would be
 * outdated, and it would compete with the reloaded app for the CPU.
 */
import type { Audit } from '../audit/audit.ts';
import { viewOf } from './package-folder.ts';
import type { AuditView } from './protocol.ts';

/** A build usually writes all files within this time, and the app is reloaded by then. */
const DEBOUNCE_MS = 400;
const MOST_FINDINGS = 500;

export class AuditLoop {
  #view: AuditView = { state: 'waiting', verdict: null, findings: [], omitted: 0, milliseconds: 0 };
  #timer: NodeJS.Timeout | undefined;
  #running = new AbortController();
  #isClosed = false;

  constructor(
    private readonly audit: (signal: AbortSignal) => Promise<Audit>,
    private readonly onChange: (view: AuditView) => void,
  ) {
    onChange(this.#view);
  }

  /** The files have changed. */
  schedule(): void {
    if (this.#isClosed) return;
    this.#running.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), DEBOUNCE_MS);
  }

  close(): void {
    this.#isClosed = true;
    this.#running.abort();
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#show({ ...this.#view, state: 'running' });
    const start = Date.now();
    try {
      const { verdict, findings, summary } = await this.audit(running.signal);
      if (running.signal.aborted) return;
      const shown = findings.slice(0, MOST_FINDINGS).map(viewOf);
      const omitted = findings.length - shown.length + summary.omitted;
      this.#show({ state: 'finished', verdict, findings: shown, omitted, milliseconds: Date.now() - start });
    } catch {
      // Files were deleted during the read.
      if (!running.signal.aborted) this.#show({ ...this.#view, state: 'failed' });
    }
  }

  #show(view: AuditView): void {
    if (this.#isClosed) return;
    this.#view = view;
    this.onChange(view);
  }
}
