/** Selects which fields are added to the dynamic table, and which must never be. */
import { STATIC_TABLE } from './tables.ts';

/** With incremental indexing (RFC 7541 section 6.2.1). */
export const INDEX = 0x40;
/** Without indexing (6.2.2): the values change each time, and would only evict other entries. */
export const NO_INDEX = 0x00;
/** Never indexed (7.1.3): a secret, which an attacker could otherwise guess by the block's size. */
export const NEVER_INDEX = 0x10;

/** How the fields of a name are encoded. */
export class NamePlan {
  /** Index of its first entry in the static table; 0: none. */
  firstStatic = 0;
  /** Index of its last entry; the entries of a name are adjacent. */
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
 * Index of the static table's entry for this line; 0: none. An entry without a value stands for an
 * empty value.
 */
export function staticLine(plan: NamePlan, value: string): number {
  if (plan.firstStatic === 0) return 0;
  for (let index = plan.firstStatic; index <= plan.lastStatic; index++)
    if (STATIC_TABLE[index].value === value) return index;
  return 0;
}
