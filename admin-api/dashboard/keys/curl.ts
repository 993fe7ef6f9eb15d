/** A sample curl command for a new key. */

/** `domainId`: a domain that the key may read. Null: unknown. */
export function curlLine(origin: string, token: string, scopes: readonly string[], domainId: number | null): string {
  return `curl -H "Authorization: Bearer ${token}" ${origin}${endpointOf(scopes, domainId)}`;
}

/** An endpoint that the scopes may read. */
function endpointOf(scopes: readonly string[], domainId: number | null): string {
  const has = (area: string): boolean => scopes.includes(area) || scopes.includes(`${area}:read`);
  if (has('dns')) return '/api/v1/domains';
  if (has('account')) return '/api/v1/account';
  if (has('packages')) return '/api/dev/apps';
  return `/api/v1/domains/${domainId ?? 'ID'}/proxy`;
}
