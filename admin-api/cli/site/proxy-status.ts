/** Describes the state of a proxy for people, with the next step for each problem. */
import { toUrlHost } from '../../../core/net/address/url-host.ts';
import { asObject, type Json } from '../base/client.ts';
import { CliError } from '../base/errors.ts';
import { rowsOf } from '../base/pages.ts';
import { shown } from '../base/table.ts';

/** `body`: the whole response. Throws CliError `not_the_api`. */
export function describeProxy(domain: string, body: Json): [string, ...string[]] {
  const proxy = proxyOf(body);
  const warnings = Array.isArray(proxy.warnings) ? proxy.warnings : [];
  const on = proxy.is_enabled === 1 || proxy.is_enabled === true;
  const exposed = rowsOf(proxy.exposed);
  return [
    `${domain}: proxy ${on ? 'on' : 'off'}`,
    ...originLines(domain, proxy, on),
    ...certificateLines(domain, proxy),
    ...hstsLines(proxy),
    ...(proxy.heuristic_freshness === true ? ['  cache        heuristic freshness for all responses'] : []),
    ...warnings.map((warning) => `  warning      ${shown(warning)}`),
    ...exposed.map(
      ({ name, type, content, why }) => `  exposed      ${[name, type, content].map(shown).join(' ')}: ${shown(why)}`,
    ),
    ...(exposed.length === 0 ? [] : [EXPOSED_NEXT]),
  ];
}

const EXPOSED_NEXT =
  '  next: These names reveal the origin\'s address. Proxy them ("waypost record set … --proxied"), ' +
  'remove them, or move their services to another address.';

function originLines(
  domain: string,
  { origin_host: host, origin_port: port, origin_protocol: protocol }: Json,
  on: boolean,
) {
  if (typeof host !== 'string' || host === '') {
    return [
      `  origin       none${on ? '; each name is served from its own address records' : ''}`,
      `  next: Set it with "waypost proxy set ${domain} ORIGIN".`,
    ];
  }
  const origin = `  origin       ${shown(protocol)}://${toUrlHost(host)}:${shown(port)}`;
  return on ? [origin] : [origin, `  next: Turn it on with "waypost proxy on ${domain}".`];
}

function hstsLines({ hsts_max_age: age, hsts_include_subdomains, hsts_preload }: Json): string[] {
  if (typeof age !== 'number') return [];
  const subdomains = hsts_include_subdomains === true ? ', with subdomains' : '';
  return [`  hsts         ${shown(age)} seconds${subdomains}${hsts_preload === true ? ', preload' : ''}`];
}

function certificateLines(domain: string, proxy: Json): string[] {
  const { ssl_status, ssl_issued_at, ssl_expires_at, ssl_error } = proxy;
  const { issuer, renews_at: renewsAt } = asObject(proxy.certificate) ?? {};
  const times = [
    ...(ssl_issued_at ? [`issued ${shown(ssl_issued_at)}`] : []),
    ...(ssl_expires_at ? [`expires ${shown(ssl_expires_at)}`] : []),
    ...(renewsAt ? [`renewal from ${shown(renewsAt)}`] : []),
  ];
  const lines = [`  certificate  ${[shown(ssl_status), ...times].join(', ')}`];
  if (issuer) lines.push(`  issuer       ${shown(issuer)}`);
  if (ssl_error) {
    lines.push(`  error        ${shown(ssl_error)}`);
    lines.push(`  next: Fix the problem, then retry at once with "waypost proxy certificate ${domain} --order".`);
  }
  return lines;
}

function proxyOf(body: Json): Json {
  const proxy = asObject(body.proxy);
  if (proxy !== undefined) return proxy;
  throw new CliError('not_the_api', 'The response of the daemon has no proxy state.');
}
