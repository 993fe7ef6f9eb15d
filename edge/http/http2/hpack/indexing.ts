/** Which fields are worth a place in the dynamic table, and which must never get one. */
import { STATIC_TABLE } from './static-table.ts';

export const INDEX = 0x40; // with incremental indexing (RFC 7541 section 6.2.1)
// without (6.2.2): another value each time, which would only push out the others
export const NO_INDEX = 0x00;
export const NEVER_INDEX = 0x10; // a secret, that a guess must not be confirmed of (7.1.3)

/** What is known of a name. */
export class NamePlan {
  /** Its first entry in the static table, or 0. */
  firstStatic = 0;
  /** Its last one: those of a name stand together. */
  lastStatic = 0;
  constructor(readonly mode: number) {}
}

const CHANGING = `:path|age|content-length|content-range|date|etag|expires|if-match|if-modified-since|if-none-match|if-range|\
if-unmodified-since|last-modified|location|content-location|range|referer|retry-after|content-disposition|content-md5|digest|\
content-digest|repr-digest|x-request-id|x-correlation-id|request-id|traceparent|tracestate|x-trace-id|server-timing|\
x-response-time|x-runtime|sec-websocket-key|sec-websocket-accept|sourcemap|cf-ray|x-amz-request-id|x-amz-id-2`;

const SECRET = `authorization|proxy-authorization|cookie|set-cookie|www-authenticate|proxy-authenticate|authentication-info|\
proxy-authentication-info|x-api-key|x-auth-token|x-csrf-token`;

const PLANS = plans();
const UNKNOWN = new NamePlan(INDEX);

function plans(): ReadonlyMap<string, NamePlan> {
  const map = new Map<string, NamePlan>();
  for (const name of CHANGING.split('|')) map.set(name, new NamePlan(NO_INDEX));
  for (const name of SECRET.split('|')) map.set(name, new NamePlan(NEVER_INDEX));
  for (let index = 1; index < STATIC_TABLE.length; index++) {
    const { name } = STATIC_TABLE[index];
    const plan = map.get(name) ?? new NamePlan(INDEX);
    map.set(name, plan);
    if (plan.firstStatic === 0) plan.firstStatic = index;
    plan.lastStatic = index;
  }
  return map;
}

export const planOf = (name: string): NamePlan => PLANS.get(name) ?? UNKNOWN;

/**
 * The entry of the static table that is this line, or 0. An entry without a value is the line with
 * the empty one.
 */
export function staticLine(plan: NamePlan, value: string): number {
  if (plan.firstStatic === 0) return 0;
  for (let index = plan.firstStatic; index <= plan.lastStatic; index++)
    if (STATIC_TABLE[index].value === value) return index;
  return 0;
}
