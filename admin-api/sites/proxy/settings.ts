/** The settings of a proxy besides its origin: HSTS, a rule of the cache, how requests are sent. */
import { InvalidError } from '../../../core/base/errors.ts';
import { type Heuristics, type ProxySettings, proxySettings, type StoredSettings } from '../../../core/store/rows.ts';
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
  heuristics: 'heuristics',
  forwarded_header: 'forwardedHeader',
  lenient_responses: 'lenientResponses',
} as const satisfies Record<Exclude<keyof SettingsBody, 'heuristic_freshness'>, keyof ProxySettings>;

const PAIRS = Object.entries(MEMBERS) as [keyof typeof MEMBERS, keyof ProxySettings][];

type SettingsView = { readonly [Name in keyof typeof MEMBERS]: ProxySettings[(typeof MEMBERS)[Name]] } & {
  readonly heuristic_freshness: boolean;
};

export function viewSettings(row: StoredSettings): SettingsView {
  const settings = proxySettings(row);
  const view = Object.fromEntries(PAIRS.map(([name, member]) => [name, settings[member]]));
  return { ...view, heuristic_freshness: settings.heuristics === 'all' } as unknown as SettingsView;
}

/** For the audit log: the settings that differ from the defaults. */
export function auditSettings(row: StoredSettings): Partial<SettingsView> {
  const defaults = viewSettings({});
  const differs = ([name, value]: [string, unknown]): boolean => value !== defaults[name as keyof SettingsView];
  return Object.fromEntries(Object.entries(viewSettings(row)).filter(differs));
}

/** The settings that the body contains. Throws InvalidError `hsts_preload`. */
export function readSettings(body: SettingsBody, before: StoredSettings): Partial<ProxySettings> {
  const given = PAIRS.filter(([name]) => body[name] !== undefined);
  const settings: Partial<ProxySettings> = {
    ...Object.fromEntries(given.map(([name, member]) => [member, body[name]])),
    heuristics: readHeuristics(body, proxySettings(before).heuristics),
  };
  requirePreloadable(proxySettings({ ...before, ...settings }));
  return settings;
}

/**
 * Earlier clients only know `heuristic_freshness`, and may send the rest of a response back. So it
 * counts if it differs from the stored value and `heuristics` does not.
 */
function readHeuristics({ heuristics, heuristic_freshness }: SettingsBody, before: Heuristics): Heuristics {
  if (heuristics !== undefined && heuristics !== before) return heuristics;
  if (heuristic_freshness === undefined || heuristic_freshness === (before === 'all')) return before;
  return heuristic_freshness ? 'all' : 'static';
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
