/** Notices of the sandbox in words. */
import type { Notice } from './notices.ts';
import type { ViolationView } from './protocol.ts';

/** Undefined: the notice is no violation. */
export function violationOf(notice: Notice, id: number): ViolationView | undefined {
  const at = Date.now();
  if (notice.kind === 'violation')
    return { id, at, kind: notice.directive, detail: notice.blocked, source: notice.source };
  if (notice.kind === 'blocked') return { id, at, kind: notice.attempt, detail: notice.detail, source: '' };
  if (notice.kind === 'dropped') return { id, at, kind: 'more', detail: String(notice.count), source: '' };
  return undefined;
}
