/** Rules that demand a JWT (RFC 7519), as a Bearer token (RFC 6750), in a header or in a cookie. */
import { errors, jwtVerify } from 'jose';
import { firstCookie, type JwtRule } from '../../../core/site/rules/index.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { ErrorPage } from '../../sites/error-page.ts';
import { identityOf } from './claims.ts';
import { type KeySets, NoKeysError } from './key-sets.ts';
import type { Verdict } from './verdict.ts';

/** Signatures with public keys only: HMAC with a public key, and `none`, are forgeries. */
export const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Characters of a token. */
const MAX_TOKEN = 16_384;
/** Seconds by which clocks may differ. */
export const LEEWAY = 30;

/** `now`: milliseconds since 1970. Never rejects. */
export async function checkBearer(
  rule: JwtRule,
  headers: FieldList,
  site: string,
  keys: KeySets,
  now: number,
): Promise<Verdict> {
  const token = tokenOf(rule, headers);
  if (token === undefined) return { page: NO_TOKEN };
  if (token.length > MAX_TOKEN || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token))
    return { page: refusal('The token is not a JWT') };
  try {
    const { payload } = await jwtVerify(token, keys.finder(rule.jwks_url, site), {
      algorithms: ALGORITHMS,
      issuer: rule.issuer,
      ...(rule.audience !== undefined && { audience: [...rule.audience] }),
      clockTolerance: rule.leeway ?? LEEWAY,
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    });
    return { identity: identityOf(payload, rule.copy_claims ?? []), cookies: [] };
  } catch (error) {
    if (error instanceof NoKeysError) return { page: NO_KEYS };
    return { page: refusal(reasonOf(error)) };
  }
}

/** Undefined: there is none, or more than one. */
function tokenOf({ header, cookie }: JwtRule, headers: FieldList): string | undefined {
  const name = header?.toLowerCase() ?? (cookie === undefined ? 'authorization' : undefined);
  if (name !== undefined) {
    const values = headers.filter((_, i) => i % 2 === 1 && headers[i - 1] === name);
    // The origin could read another one than that which was verified.
    if (values.length > 1) return undefined;
    const token = /^Bearer +(\S+)$/i.exec(values[0] ?? '')?.[1] ?? (name === 'authorization' ? undefined : values[0]);
    if (token !== undefined) return token;
  }
  return cookie === undefined ? undefined : firstCookie(headers, cookie) || undefined;
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} does not match`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'The key of the token is unknown';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'The token does not name its key';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The algorithm of the token is not allowed';
  return 'The token is not valid';
}

const page = (challenge: string, visitor: string): ErrorPage => ({
  status: 401,
  code: 'token_required',
  title: 'A token is needed',
  visitor,
  owner: 'A rule of this domain demands a JWT of its issuer.',
  headers: ['www-authenticate', challenge],
});

/** RFC 6750 section 3.1: a request without a token gets no error code. */
const NO_TOKEN = page('Bearer', 'This request needs a token.');

/** `reason`: without quotes and backslashes. */
const refusal = (reason: string): ErrorPage =>
  page(`Bearer error="invalid_token", error_description="${reason}"`, `${reason}.`);

const NO_KEYS: ErrorPage = {
  status: 503,
  code: 'auth_unavailable',
  title: 'Sign-in is not available',
  visitor: 'The token cannot be verified at the moment. Please try again in a minute.',
  owner: 'The keys of the issuer could not be fetched: check jwks_url of the rule, its certificate and its address.',
  headers: ['retry-after', '30'],
};
