/** Describes the state of a proxy for people, with the next step for each problem. */
import { toUrlHost } from '../../../core/net/address/url-host.ts';
import type { ApiResponse } from '../../routes/routes.ts';
import { shown } from '../base/table.ts';

type ProxyResponse = ApiResponse<'getProxy'>;
type Proxy = ProxyResponse['proxy'];
type OriginTest = ApiResponse<'testProxyOrigin'>['test'];

/** Each step of a test, the last one that failed if any did. */
export function describeOriginTest(origin: string, { ok, steps, certificate }: OriginTest): [string, ...string[]] {
  return [
    `${shown(origin)}: ${ok ? 'all steps succeeded' : 'a step failed'}`,
    ...steps.map(
      (entry) => `  ${entry.step.padEnd(4)} ${entry.ok ? 'ok    ' : 'failed'}  ${entry.ms} ms  ${shown(entry.detail)}`,
    ),
    ...(certificate === null
      ? []
      : [`  certificate for ${certificate.names.map(shown).join(', ')}, expires ${shown(certificate.expires_at)}`]),
  ];
}

export function describeProxy({ domain: { domain }, proxy }: ProxyResponse): [string, ...string[]] {
  const { warnings, exposed } = proxy;
  const on = proxy.is_enabled === 1;
  return [
    `${domain}: proxy ${on ? 'on' : 'off'}`,
    ...originLines(proxy, on),
    ...certificateLines(proxy),
    ...hstsLines(proxy),
    ...(proxy.heuristics === 'static' ? [] : [`  cache        heuristic freshness: ${proxy.heuristics}`]),
    ...(proxy.forwarded_header ? [] : ['  headers      no Forwarded for the origin']),
    ...(proxy.lenient_responses ? ['  origin       lines of responses may end with LF alone'] : []),
    ...warnings.map((warning) => `  warning      ${shown(warning)}`),
    ...exposed.map(
      ({ name, type, content, why }) => `  exposed      ${[name, type, content].map(shown).join(' ')}: ${shown(why)}`,
    ),
    ...nextSteps(domain, proxy, on).map((step) => `  next: ${step}`),
  ];
}

/** Below all warnings, so that these are read first. */
function nextSteps(domain: string, { origin_host, ssl_error, exposed }: Proxy, on: boolean): string[] {
  return [
    ...(origin_host === '' ? [`Set the origin with "waypost proxy set ${domain} ORIGIN".`] : []),
    ...(origin_host !== '' && !on ? [`Turn the proxy on with "waypost proxy on ${domain}".`] : []),
    ...(ssl_error
      ? [`Fix the problem of the certificate, then retry at once with "waypost proxy certificate ${domain} --order".`]
      : []),
    ...(exposed.length === 0 ? [] : [EXPOSED_NEXT]),
  ];
}

const EXPOSED_NEXT =
  'These names reveal the origin\'s address. Proxy them ("waypost record set … --proxied"), ' +
  'remove them, or move their services to another address.';

function originLines({ origin_host: host, origin_port: port, origin_protocol: protocol }: Proxy, on: boolean) {
  if (host === '') return [`  origin       none${on ? '; each name is served from its own address records' : ''}`];
  return [`  origin       ${shown(protocol)}://${toUrlHost(host)}:${shown(port)}`];
}

function hstsLines({ hsts_max_age: age, hsts_include_subdomains, hsts_preload }: Proxy): string[] {
  if (age === null) return [];
  const subdomains = hsts_include_subdomains ? ', with subdomains' : '';
  return [`  hsts         ${age} seconds${subdomains}${hsts_preload ? ', preload' : ''}`];
}

function certificateLines(proxy: Proxy): string[] {
  const { ssl_status, ssl_issued_at, ssl_expires_at, ssl_error } = proxy;
  const { issuer, renews_at: renewsAt } = proxy.certificate;
  const times = [
    ...(ssl_issued_at ? [`issued ${shown(ssl_issued_at)}`] : []),
    ...(ssl_expires_at ? [`expires ${shown(ssl_expires_at)}`] : []),
    ...(renewsAt ? [`renewal from ${shown(renewsAt)}`] : []),
  ];
  const lines = [`  certificate  ${[shown(ssl_status), ...times].join(', ')}`];
  if (issuer) lines.push(`  issuer       ${shown(issuer)}`);
  for (const { source, names, key_type, issuer: issuedBy, expires_at, hosts } of proxy.certificates) {
    const serves = hosts.length === 0 ? 'no proxied name' : hosts.join(', ');
    const by = issuedBy === null ? '' : ` by ${shown(issuedBy)}`;
    lines.push(
      `  ${source.padEnd(11)}  ${shown(names.join(', '))}${key_type === 'rsa' ? ' (RSA)' : ''}${by}, expires ${shown(expires_at)}; serves ${shown(serves)}`,
    );
  }
  // Without any certificate, `ssl_error` has the reason.
  for (const { name, why, next_attempt_at: next } of proxy.certificates.length === 0 ? [] : proxy.uncovered)
    lines.push(
      `  uncovered    ${shown(name)}: ${shown(why)}${next === null ? '' : ` Next attempt at ${shown(next)}.`}`,
    );
  if (ssl_error) lines.push(`  error        ${shown(ssl_error)}`);
  return lines;
}
