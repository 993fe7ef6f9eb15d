/** Of a group, what goes by mandates: see forwarding.ts. */
import type { Waiting } from '../commit/commit-queue.ts';
import { busy } from './refusals.ts';
import type { Mandates } from './shared-log.ts';

/** The newest of each node. */
export function mandatesOf(waiting: readonly Waiting[]): Mandates {
  const mandates = new Map<string, number>();
  for (const { mandate } of waiting)
    if (mandate) mandates.set(mandate.node, Math.max(mandate.revision, mandates.get(mandate.node) ?? 0));
  return mandates;
}

/** Without those whose node has forwarded something by a newer one, which are rejected: an append compares one of a node. */
export function standing(waiting: readonly Waiting[]): readonly Waiting[] {
  const mandates = mandatesOf(waiting);
  return waiting.filter(({ mandate, reject }) => {
    const stands = mandate === undefined || mandate.revision === mandates.get(mandate.node);
    if (!stands) reject(busy());
    return stands;
  });
}
