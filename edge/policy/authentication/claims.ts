/** Claims of tokens as headers for the origin. */
import type { Identity, IdentityClaim } from '../../../core/site/rules/index.ts';

/** Characters of a header with claims. A longer one is not sent. */
const MAX_VALUE = 4096;
const MAX_DEPTH = 5;

export type Claims = Readonly<Record<string, unknown>>;

/** A claim by its name, or by the names on the path to it: `realm_access.roles`. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.', MAX_DEPTH)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Claims)[step];
  }
  return value;
}

/** The texts of a claim with one value or a list. */
export const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item: unknown) =>
    typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean' ? String(item) : [],
  );

export const identityOf = (claims: Claims, copied: readonly IdentityClaim[]): Identity =>
  copied.map(({ claim, header }) => [header.toLowerCase(), headerValue(claimOf(claims, claim))] as const);

/**
 * Members of a list are separated by commas, so those within a member are written as `%2C`: a
 * visitor's group must not look like two. UTF-8, one character for each byte. Null: no header.
 */
function headerValue(claim: unknown): string | null {
  const texts = textsOf(claim);
  const text = Array.isArray(claim) ? texts.map((item) => item.replaceAll(',', '%2C')).join(',') : texts.join('');
  const value = Buffer.from(text.trim()).toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no line may end in a value
  return value === '' || value.length > MAX_VALUE || /[\x00-\x1f\x7f]/.test(value) ? null : value;
}
