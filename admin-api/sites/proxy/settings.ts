/** The settings of a proxy besides its origin: HSTS, a rule of the cache, a request header. */
import { InvalidError } from '../../../core/base/errors.ts';
import { type ProxySettings, proxySettings } from '../../../core/store/rows.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { settingsBody } from './schema.ts';

/** One year in seconds, the minimum of HSTS preload lists. */
const PRELOAD_MAX_AGE = 31_536_000;

export type SettingsBody = BodyOf<typeof settingsBody>;

/** Members of bodies, responses and audit details, with those of rows. */
const MEMBERS = {
  hsts_max_age: 'hstsMaxAge',
  hsts_include_subdomains: 'hstsIncludeSubdomains',
  hsts_preload: 'hstsPreload',
  heuristic_freshness: 'heuristicFreshness',
  forwarded_header: 'forwardedHeader',
} as const satisfies Record<keyof SettingsBody, keyof ProxySettings>;

const PAIRS = Object.entries(MEMBERS) as [keyof SettingsBody, keyof ProxySettings][];

type SettingsView = { readonly [Name in keyof typeof MEMBERS]: ProxySettings[(typeof MEMBERS)[Name]] };

export function viewSettings(row: Partial<ProxySettings>): SettingsView {
  const settings = proxySettings(row);
  return Object.fromEntries(PAIRS.map(([name, member]) => [name, settings[member]])) as unknown as SettingsView;
}

/** For the audit log: the settings that differ from the defaults. */
export function auditSettings(row: Partial<ProxySettings>): Partial<SettingsView> {
  const defaults = viewSettings({});
  const differs = ([name, value]: [string, unknown]): boolean => value !== defaults[name as keyof SettingsView];
  return Object.fromEntries(Object.entries(viewSettings(row)).filter(differs));
}

/** The settings that the body contains. Throws InvalidError `hsts_preload`. */
export function readSettings(body: SettingsBody, before: Partial<ProxySettings>): Partial<ProxySettings> {
  const given = PAIRS.filter(([name]) => body[name] !== undefined);
  const settings: Partial<ProxySettings> = Object.fromEntries(given.map(([name, member]) => [member, body[name]]));
  requirePreloadable(proxySettings({ ...before, ...settings }));
  return settings;
}

/**
 * Preload lists reject a domain with an unsuitable header, which the customer would notice weeks
 * later.
 */
function requirePreloadable({ hstsMaxAge, hstsIncludeSubdomains, hstsPreload }: ProxySettings): void {
  if (!hstsPreload || (hstsIncludeSubdomains && (hstsMaxAge ?? 0) >= PRELOAD_MAX_AGE)) return;
  throw new InvalidError(
    'hsts_preload',
    `Preload lists require "hsts_include_subdomains": true and "hsts_max_age" of at least ${PRELOAD_MAX_AGE}. Set both, or set "hsts_preload" to false.`,
    { pointer: '/hsts_preload' },
  );
}
