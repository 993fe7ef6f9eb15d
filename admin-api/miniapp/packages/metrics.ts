/** Metrics of package audits. */
import type { Registry } from '../../../core/base/metrics/index.ts';
import type { UploadState } from '../../../core/store/rows.ts';

/** Seconds: from a small package to one that exceeds the timeout. */
const BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export interface PackageMetrics {
  /** `state`: the state after the verdict. `seconds`: duration of the audit. */
  audited(state: UploadState, seconds: number): void;
  /** `size`: returns the current length of the queue. */
  queue(size: () => number): void;
}

export function packageMetrics(registry: Registry): PackageMetrics {
  const verdicts = registry.counter('waypost_package_audits_total', 'Audits of packages, by outcome.', ['state']);
  const durations = registry.histogram(
    'waypost_package_audit_duration_seconds',
    'Duration of package audits, without the time in the queue.',
    [],
    BOUNDS,
  );
  return {
    audited(state, seconds) {
      verdicts.cell(state).value++;
      durations.note(durations.distributionOf(), seconds);
    },
    queue: (size) =>
      registry.read(
        'gauge',
        'waypost_package_audits_waiting',
        'Packages that wait for an audit on this node.',
        [],
        (emit) => emit(size()),
      ),
  };
}
