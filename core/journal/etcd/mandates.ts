/** The mandates of a group's forwarded commits: see forwarding.ts. */
import type { PendingCommit } from '../commit/commit-queue.ts';
import { busy } from './refusals.ts';
import type { Mandates } from './shared-log.ts';

/** The newest mandate of each node. */
export function mandatesOf(waiting: readonly PendingCommit[]): Mandates {
  const mandates = new Map<string, number>();
  for (const { mandate } of waiting)
    if (mandate) mandates.set(mandate.node, Math.max(mandate.revision, mandates.get(mandate.node) ?? 0));
  return mandates;
}

/**
 * Rejects commits with an outdated mandate and returns the others. An append compares one mandate
 * per node.
 */
export function withCurrentMandates(waiting: readonly PendingCommit[]): readonly PendingCommit[] {
  const mandates = mandatesOf(waiting);
  return waiting.filter(({ mandate, reject }) => {
    const isCurrent = mandate === undefined || mandate.revision === mandates.get(mandate.node);
    if (!isCurrent) reject(busy());
    return isCurrent;
  });
}
