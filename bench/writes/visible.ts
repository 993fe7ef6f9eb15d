/** How long after the API's answer a new record is served over UDP. */
import { Probe } from '../dns/probe.ts';
import type { AdminApi, DomainRef } from './api.ts';

export interface Visibility {
  /**
   * Milliseconds from the API's answer to the first UDP answer with the record, one for each
   * record. Includes one round trip.
   */
  readonly visible: number[];
  /** Milliseconds from the request to the API's answer. */
  readonly created: number[];
}

/** A record that is not served by then is a fault, not a figure. */
const LIMIT_MS = 5000;

/**
 * Creates `count` records one after another, in turn over the domains, and asks for each until it
 * is there. Throws an Error when one never is.
 */
export async function measureVisibility(
  api: AdminApi,
  domains: readonly DomainRef[],
  count: number,
  dnsPort: number,
): Promise<Visibility> {
  const probe = new Probe(dnsPort);
  const result: Visibility = { visible: [], created: [] };
  try {
    for (let i = 0; i < count; i++) {
      const { id, domain } = domains[i % domains.length];
      const label = `visible${i}`;
      const askedAt = performance.now();
      const reply = await api.createAddress(id, label);
      const answered = performance.now();
      if (reply.status !== 200) throw new Error(`${label}.${domain}: ${reply.status} ${reply.code}`);
      while (!(await probe.holds(`${label}.${domain}`, 100))) {
        if (performance.now() - answered > LIMIT_MS)
          throw new Error(`${label}.${domain} is not served after ${LIMIT_MS} ms.`);
      }
      result.created.push(answered - askedAt);
      result.visible.push(performance.now() - answered);
    }
  } finally {
    probe.close();
  }
  return result;
}
