/** The choices for a new key as the API has them: scopes, expiry, and a request to try it. */
import { TEXTS } from '../texts.ts';

const DAY_MS = 86_400_000;

/** Days as text, `never`, or `date` for a date that the user enters. */
export const EXPIRIES: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'never', label: TEXTS.addKey.expiries.never },
  { value: '30', label: TEXTS.addKey.expiries.days(30) },
  { value: '90', label: TEXTS.addKey.expiries.days(90) },
  { value: '365', label: TEXTS.addKey.expiries.days(365) },
  { value: 'date', label: TEXTS.addKey.expiries.date },
];

export const AREAS = ['dns', 'proxy', 'packages', 'account'] as const;
export type Area = (typeof AREAS)[number];

/** The only areas for a key that is restricted to domains. */
export const DOMAIN_AREAS: readonly Area[] = ['dns', 'proxy'];

export type Access = 'none' | 'read' | 'write';
export const ACCESS: readonly Access[] = ['none', 'read', 'write'];

export function toScopes(access: Readonly<Record<Area, Access>>, areas: readonly Area[] = AREAS): string[] {
  return areas.flatMap((area) => {
    if (access[area] === 'none') return [];
    return access[area] === 'read' ? [`${area}:read`] : [area];
  });
}

/** Describes scopes of the API. */
export function describeScopes(scopes: readonly string[]): string {
  const texts = TEXTS.keys;
  if (AREAS.every((area) => scopes.includes(area))) return texts.everything;
  return scopes
    .map((scope) => {
      const [area, read] = scope.split(':');
      const name = TEXTS.addKey.areas[area as Area]?.name ?? area;
      return read === undefined ? name : texts.readOnly(name);
    })
    .join(', ');
}

interface Limited {
  readonly scopes: readonly string[];
  readonly policies:
    | readonly {
        readonly names: readonly string[] | null;
        readonly types: readonly string[] | null;
        readonly actions: readonly string[] | null;
      }[]
    | null;
}

/** Describes what a key allows: its policies, or else its scopes. */
export function describeKey({ policies, scopes }: Limited): string {
  const texts = TEXTS.keys;
  if (policies === null) return describeScopes(scopes);
  return policies
    .map(({ names, types, actions }) =>
      texts.policy(
        actions?.join(', ') ?? texts.allActions,
        types?.join(', ') ?? texts.allTypes,
        names?.join(', ') ?? texts.allNames,
      ),
    )
    .join('; ');
}

/**
 * The time at which a new key expires, for the API; null: never. `date`: as `YYYY-MM-DD`; the key
 * expires at the end of that day, in the time zone of the browser. `now`: milliseconds since 1970.
 */
export function expiryTime(choice: string, date: string, now: number): string | null {
  if (choice === 'never') return null;
  const end = choice === 'date' ? new Date(`${date}T23:59:59`).getTime() : now + Number(choice) * DAY_MS;
  // An invalid date is sent unchanged, so the API reports it.
  return Number.isNaN(end) ? date : new Date(end).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * A sample curl command for a new key.
 *
 * `domainId`: a domain that the key may read. Null: unknown.
 */
export function curlLine(origin: string, token: string, scopes: readonly string[], domainId: number | null): string {
  return `curl -H "Authorization: Bearer ${token}" '${origin}${endpointOf(scopes, domainId)}'`;
}

/** An endpoint that the scopes may read. */
function endpointOf(scopes: readonly string[], domainId: number | null): string {
  const has = (area: string): boolean => scopes.includes(area) || scopes.includes(`${area}:read`);
  if (has('dns')) return '/api/v1/domains';
  if (has('account')) return '/api/v1/account';
  if (has('packages')) return '/api/dev/apps';
  return `/api/v1/domains/${domainId ?? 'ID'}/proxy`;
}
