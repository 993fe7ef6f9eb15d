/**
 * Which requests give way to others when their network has used up its share of the connections to
 * an origin, or of the queue. Visitors behind one address share it by connection and by age.
 */
import type { Call } from './call.ts';
import type { Carrier } from './carrier.ts';

/** Milliseconds after which a request gives way, if its visitor's connection has the most. */
const FAIR_AFTER_MS = 500;
/** Milliseconds after which it does in any case. */
const OLD_AFTER_MS = 30_000;

/** Requests by connection of the visitor. */
class Counts {
  readonly #counts = new Map<object | undefined, number>();

  add({ request: { visitor } }: Call): void {
    this.#counts.set(visitor, this.of(visitor) + 1);
  }

  of(visitor: object | undefined): number {
    return this.#counts.get(visitor) ?? 0;
  }
}

/** A request that gets the place of another one. */
interface Yielding {
  readonly call: Call;
  readonly carrier: Carrier;
}

/**
 * The request that gets a connection next, among queued ones of one network and site: the first on
 * the visitor's connection that has the fewest. And the request that gives way to it: the oldest on
 * the connection that has the most. Null: none has to. `now`: of the clock.
 */
export function yielding(queued: readonly Call[], carriers: Iterable<Carrier>, now: number): Yielding | null {
  const [first] = queued;
  const { client, site } = first.request;
  const counts = new Counts();
  const rivals: Carrier[] = [];
  for (const carrier of carriers) {
    const request = carrier.carried?.request;
    if (request === undefined || request.client !== client || request.site !== site) continue;
    rivals.push(carrier);
    counts.add(carrier.carried!);
  }
  const waiting = new Counts();
  for (const other of queued) waiting.add(other);
  const requestsOf = ({ request: { visitor } }: Call): number => waiting.of(visitor) + counts.of(visitor);
  let call = first;
  for (const other of queued) if (requestsOf(other) < requestsOf(call)) call = other;
  const fair = counts.of(call.request.visitor) + 1;
  let found: Carrier | null = null;
  let most = 0;
  for (const carrier of rivals) {
    const { request, sentAt } = carrier.carried!;
    const count = counts.of(request.visitor);
    if (now - sentAt <= (count > fair ? FAIR_AFTER_MS : OLD_AFTER_MS)) continue;
    if (count < most || (count === most && sentAt >= (found?.carried?.sentAt ?? Number.POSITIVE_INFINITY))) continue;
    found = carrier;
    most = count;
  }
  return found === null ? null : { call, carrier: found };
}

/**
 * The queued request that gives its place in the queue to `call`: the last one on the visitor's
 * connection that has the most. Null: none has to.
 */
export function queuedToYield(queued: readonly Call[], call: Call): Call | null {
  const counts = new Counts();
  for (const other of queued) counts.add(other);
  let found: Call | null = null;
  let most = counts.of(call.request.visitor) + 2;
  for (const other of queued) {
    const count = counts.of(other.request.visitor);
    if (count < most) continue;
    found = other;
    most = count;
  }
  return found;
}
