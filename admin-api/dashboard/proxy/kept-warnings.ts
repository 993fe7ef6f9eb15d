/**
 * Warnings that only the response to a change has: those of an uploaded certificate, and of an
 * origin that was looked up. The page is read again soon after each change, without them.
 */
import type { ProxyView } from '../api/views.ts';

/** What such warnings are about. */
const subjectOf = ({ is_enabled, origin_host, certificate }: ProxyView): string =>
  JSON.stringify([is_enabled, origin_host, certificate.source, certificate.issued_at]);

export class KeptWarnings {
  #subject = '';
  #kept: readonly string[] = [];

  /** Keeps the warnings of a response to a change. */
  keep(proxy: ProxyView): void {
    this.#subject = subjectOf(proxy);
    this.#kept = proxy.warnings;
  }

  /** What was read, with the warnings that are kept. */
  addTo(proxy: ProxyView): ProxyView {
    if (subjectOf(proxy) !== this.#subject) this.#kept = [];
    // A warning that is read as well ends when it is no longer read.
    this.#kept = this.#kept.filter((warning) => !proxy.warnings.includes(warning));
    return { ...proxy, warnings: [...this.#kept, ...proxy.warnings] };
  }
}
