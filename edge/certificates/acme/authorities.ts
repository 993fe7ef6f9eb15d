/**
 * The certificate authorities of this service: the first, and a fallback for orders that the first
 * fails for reasons of its own.
 */
import { ConfigError } from '../../../core/base/errors.ts';
import type { Config } from '../../../core/config/index.ts';
import { type AccountStore, accountStore } from './account.ts';
import { type Directory, openDirectory } from './directory.ts';
import { OrderFailure } from './problem.ts';
import type { Transport } from './transport.ts';

export interface Authority {
  /** URL of its directory. */
  readonly url: string;
  readonly directory: Directory;
  readonly profile: string | undefined;
  readonly preferredChain: string | undefined;
  /** Its issuer domain names in CAA records; empty: unknown. Rejects as Directory.meta does. */
  identities(): Promise<readonly string[]>;
  /** The same without a request; empty: not known yet. */
  readonly knownIdentities: readonly string[];
}

type AccountTools = Pick<Parameters<typeof accountStore>[0], 'environment' | 'journal' | 'secrets' | 'log'>;

/**
 * Throws ConfigError for half of an external account, and for a fallback without a first authority
 * or with its directory.
 */
export function checkAuthorities(acme: Config['acme']): void {
  const { directory: first, fallbackDirectory: fallback } = acme;
  checkPair('acme.eab_kid', acme.eabKid, 'acme.eab_hmac_key', acme.eabHmacKey);
  checkPair('acme.fallback_eab_kid', acme.fallbackEabKid, 'acme.fallback_eab_hmac_key', acme.fallbackEabHmacKey);
  if (fallback !== undefined && (first === undefined || first === fallback))
    throw new ConfigError(
      'invalid_fallback',
      first === undefined
        ? 'acme.fallback_directory needs acme.directory: set that to the first authority.'
        : 'acme.fallback_directory is the same as acme.directory: set it to another authority, or remove it.',
    );
}

/** In the order in which they are used. Throws ConfigError as checkAuthorities does. */
export function openAuthorities(acme: Config['acme'], transport: Transport, tools: AccountTools): Authority[] {
  checkAuthorities(acme);
  const { directory: first, fallbackDirectory: fallback } = acme;
  const open = (url: string, settings: OwnSettings): Authority => {
    const { eabKid, eabHmacKey, caaIdentities, profile, preferredChain } = settings;
    const accounts: AccountStore = accountStore({ ...tools, directory: url, eabKid });
    const { agreeTos, email } = acme;
    const directory = openDirectory(
      { directory: url, agreeTos, email, eabKid, eabHmacKey },
      transport,
      accounts,
      tools.log,
    );
    const authority = {
      url,
      directory,
      profile,
      preferredChain,
      knownIdentities: caaIdentities,
      async identities() {
        if (caaIdentities.length === 0) authority.knownIdentities = (await directory.meta()).caaIdentities;
        return authority.knownIdentities;
      },
    };
    return authority;
  };
  const authorities: Authority[] = [];
  if (first !== undefined) authorities.push(open(first, acme));
  if (fallback !== undefined)
    authorities.push(
      open(fallback, {
        eabKid: acme.fallbackEabKid,
        eabHmacKey: acme.fallbackEabHmacKey,
        caaIdentities: acme.fallbackCaaIdentities,
        profile: undefined,
        preferredChain: undefined,
      }),
    );
  return authorities;
}

/** Settings that differ between the authorities. */
type OwnSettings = Pick<Config['acme'], 'eabKid' | 'eabHmacKey' | 'caaIdentities' | 'profile' | 'preferredChain'>;

function checkPair(kid: string, kidValue: string | undefined, key: string, keyValue: string | undefined): void {
  if ((kidValue === undefined) === (keyValue === undefined)) return;
  throw new ConfigError(
    'half_external_account',
    `${kid} and ${key} belong together: set both to the values of the directory, or neither.`,
  );
}

/**
 * Codes of failures that have nothing to do with the domain. CAA, a failed validation and a refused
 * name are not among them: another authority would find the same.
 */
const OWN_FAILURES: ReadonlySet<string> = new Set([
  ...['unreachable', 'unavailable', 'rate_limited', 'slow', 'bad_certificate'],
  ...['account', 'account_gone', 'terms'],
]);

export const isOwnFailure = ({ code }: OrderFailure): boolean => OWN_FAILURES.has(code);

/** The failure of an order at the fallback, after the first authority has failed, too. */
export function bothFailed(first: OrderFailure, fallback: OrderFailure): OrderFailure {
  const isOwn = isOwnFailure(fallback);
  const { code, fault, names } = isOwn ? first : fallback;
  const waits = [first.retryAfter, fallback.retryAfter];
  return new OrderFailure(
    code,
    isOwn
      ? `${first.message} The fallback authority has failed, too: ${fallback.message}`
      : `${fallback.message} This is the answer of the fallback authority, because the first one has failed: ${first.message}`,
    {
      fault,
      names,
      cause: fallback,
      detail: [first.detail, fallback.detail].filter((detail) => detail !== null).join('; '),
      // As soon as one of them accepts orders again.
      retryAfter: waits.includes(null) ? null : Math.min(...waits.filter((wait) => wait !== null)),
    },
  );
}
