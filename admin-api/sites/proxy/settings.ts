/** Settings of a proxy other than its origin: HSTS and the rules of the cache. */
import { InvalidError } from '../../../core/base/errors.ts';
import type { ProxyConfig } from '../../../core/store/rows.ts';

export interface SettingsBody {
  readonly hsts_max_age?: number | null;
  readonly hsts_include_subdomains?: boolean;
  readonly hsts_preload?: boolean;
  readonly heuristic_freshness?: boolean;
}

/** Seconds of one year, which preload lists require at least. */
const PRELOAD_MAX_AGE = 31_536_000;

/** Throws InvalidError `hsts_preload`. */
export function readSettings(body: SettingsBody, before: ProxyConfig): Partial<ProxyConfig> {
  const { hsts_max_age, hsts_include_subdomains, hsts_preload, heuristic_freshness } = body;
  const settings: Partial<ProxyConfig> = {
    ...(hsts_max_age === undefined ? {} : { hstsMaxAge: hsts_max_age }),
    ...(hsts_include_subdomains === undefined ? {} : { hstsIncludeSubdomains: hsts_include_subdomains }),
    ...(hsts_preload === undefined ? {} : { hstsPreload: hsts_preload }),
    ...(heuristic_freshness === undefined ? {} : { heuristicFreshness: heuristic_freshness }),
  };
  requirePreloadable({ ...before, ...settings });
  return settings;
}

/** Preload lists reject a domain whose header does not fit, which would be noticed weeks later. */
function requirePreloadable({ hstsMaxAge, hstsIncludeSubdomains, hstsPreload }: ProxyConfig): void {
  if (hstsPreload !== true) return;
  if (hstsIncludeSubdomains === true && (hstsMaxAge ?? 0) >= PRELOAD_MAX_AGE) return;
  throw new InvalidError(
    'hsts_preload',
    `Preload lists require "hsts_include_subdomains": true and "hsts_max_age" of at least ${PRELOAD_MAX_AGE}. Set both, or set "hsts_preload" to false.`,
    { pointer: '/hsts_preload' },
  );
}
