/** Converts between the user's choices and the scopes of the API. */
import { TEXTS } from '../texts.ts';

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
