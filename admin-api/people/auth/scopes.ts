/** Scopes of tokens, and the scopes that each role allows. */
import { InvalidError } from '../../../core/base/errors.ts';
import type { Role } from '../../../core/store/rows.ts';

const AREAS = ['dns', 'proxy', 'packages', 'account'] as const;

/** A scope without `:read` allows both reads and writes. */
const SCOPES: readonly string[] = AREAS.flatMap((area) => [area, `${area}:read`]);

/** All scopes that a role allows. */
export function scopesOf(role: Role): readonly string[] {
  return role === 'viewer' ? AREAS.map((area) => `${area}:read`) : AREAS;
}

export function allows(scopes: readonly string[], area: string, access: 'read' | 'write'): boolean {
  return scopes.includes(area) || (access === 'read' && scopes.includes(`${area}:read`));
}

/** The scopes that a role allows. */
export function limitScopes(scopes: readonly string[], role: Role): readonly string[] {
  const held = scopesOf(role);
  const limited = scopes.map((scope) => (held.includes(scope) || scope.endsWith(':read') ? scope : `${scope}:read`));
  return [...new Set(limited)];
}

/**
 * The requested scopes without duplicates. Throws InvalidError for unknown scopes and for scopes
 * that `held` does not include.
 */
export function narrowScopes(requested: readonly string[], held: readonly string[]): string[] {
  const scopes = [...new Set(requested)];
  for (const scope of scopes) {
    if (!SCOPES.includes(scope))
      throw new InvalidError(
        'invalid_scope',
        `There is no scope "${scope.slice(0, 40)}"; there are ${SCOPES.join(', ')}.`,
        {
          pointer: '/scopes',
        },
      );
    const [area, read] = scope.split(':');
    if (!allows(held, area, read === undefined ? 'write' : 'read'))
      throw new InvalidError('invalid_scope', `The scope "${scope}" is more than the token at hand allows.`, {
        pointer: '/scopes',
      });
  }
  return scopes;
}
