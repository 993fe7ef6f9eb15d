/**
 * Keeps warnings that only the response to a change includes, such as those about an uploaded
 * certificate. The page is reloaded soon after each change, and that response lacks them.
 */
import type { ProxyView } from '../api/views.ts';

/** Identifies the settings that the kept warnings refer to. */
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

  /** Adds the kept warnings to a loaded state. */
  addTo(proxy: ProxyView): ProxyView {
    if (subjectOf(proxy) !== this.#subject) this.#kept = [];
    // A kept warning that the API now reports itself is no longer kept.
    this.#kept = this.#kept.filter((warning) => !proxy.warnings.includes(warning));
    return { ...proxy, warnings: [...this.#kept, ...proxy.warnings] };
  }
}
