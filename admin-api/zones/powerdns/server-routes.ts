/** Endpoints of the server: description, configuration, statistics, and unsupported features. */
import { Type } from '@sinclair/typebox';
import type { Registry } from '../../../core/base/metrics/index.ts';
import type { Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import { parameter } from '../../http/query.ts';
import type { ServedRoute } from '../../http/route.ts';
import { notFound, PREFIX, unprocessable, unsupported } from './errors.ts';
import { readName } from './fields.ts';
import { json, type PowerDnsContext, powerDnsRoute, SERVER } from './route.ts';
import { readStatistics } from './server-statistics.ts';

const yesNo = (isSet: boolean): string => (isSet ? 'yes' : 'no');

/**
 * The settings of PowerDNS that have an equivalent here.
 *
 * Values by the name of the setting, in alphabetical order.
 */
function serverConfig({ config, zoneSettings }: Services): ReadonlyMap<string, string> {
  const { dns, admin, transfer } = config;
  const { nameservers, hostmaster, refresh, retry, expire, minimum } = zoneSettings;
  const addresses = dns.listen.map(({ address, port }) =>
    address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
  );
  const entries: Record<string, string> = {
    'allow-axfr-ips': transfer.allow.join(),
    'also-notify': transfer.notify.map(({ address, port }) => (port === 53 ? address : `${address}:${port}`)).join(),
    api: 'yes',
    'default-ksk-algorithm': 'ecdsa256',
    'default-soa-content': `${nameservers[0]}. ${hostmaster}. 0 ${refresh} ${retry} ${expire} ${minimum}`,
    'default-ttl': '300',
    'default-zsk-algorithm': '',
    'disable-axfr': 'no',
    dnsupdate: 'yes',
    'expand-alias': 'yes',
    launch: 'waypost',
    'local-address': addresses.join(),
    primary: 'yes',
    'receiver-threads': String(dns.workers),
    secondary: 'yes',
    'server-id': config.nodeName,
    'udp-truncation-threshold': String(dns.udpPayload),
    webserver: 'yes',
    'webserver-address': admin.listen.address,
    'webserver-port': String(admin.listen.port),
    'zone-cache-refresh-interval': '0',
    'log-dns-queries': yesNo(dns.queryLog > 0),
  };
  return new Map(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The version of PowerDNS whose API this is. Clients compare its numbers. */
const VERSION = '5.0.0';
const DESCRIPTION = {
  autoprimaries_url: `${SERVER}/autoprimaries{/autoprimary}`,
  config_url: `${SERVER}/config{/config_setting}`,
  daemon_type: 'authoritative',
  id: 'localhost',
  type: 'Server',
  url: SERVER,
  version: VERSION,
  zones_url: `${SERVER}/zones{/zone}`,
};

export function serverRoutes(services: Services, metrics: Registry): ServedRoute[] {
  const config = serverConfig(services);
  const setting = (name: string, value: string) => ({ name, type: 'ConfigSetting', value });
  const read = (path: string, run: (context: PowerDnsContext) => unknown): ServedRoute =>
    powerDnsRoute({ method: 'GET', path, scope: 'dns', run: (context) => json(context, run(context)) });
  const show = (path: string, value: unknown): ServedRoute =>
    powerDnsRoute({ method: 'GET', path, scope: 'dns', forLimited: true, run: (context) => json(context, value) });
  return [
    // Clients detect the version of the API by these two paths.
    show('/api', [{ url: '/api/v1', version: 1 }]),
    show('/api/v1', [{ api_features: [], server_url: `${PREFIX}{/server}` }]),
    show(PREFIX, [DESCRIPTION]),
    show(SERVER, DESCRIPTION),
    read(`${SERVER}/config`, (context) => {
      requireOperator(context);
      return [...config].map(([name, value]) => setting(name, value));
    }),
    read(`${SERVER}/config/{setting}`, (context) => {
      requireOperator(context);
      const value = config.get(context.params.setting);
      if (value === undefined) throw notFound('There is no such setting here.');
      return setting(context.params.setting, value);
    }),
    powerDnsRoute({
      method: 'GET',
      path: `${SERVER}/statistics`,
      scope: 'dns',
      query: { statistic: Type.String(), includerings: parameter(Type.Boolean(), (text) => text !== 'false') },
      run(context) {
        requireOperator(context);
        const { statistic, includerings } = context.query;
        return json(context, readStatistics(metrics, statistic, includerings));
      },
    }),
    powerDnsRoute({
      method: 'PUT',
      path: `${SERVER}/cache/flush`,
      scope: 'dns',
      query: { domain: parameter(Type.String(), (text = '') => readName(text)) },
      run(context) {
        // A confirmed change is served at once, so no cache entry is stale.
        return json(context, { count: 0, result: 'Flushed cache.' });
      },
    }),
    ...missingParts(read),
  ];
}

/** The data is of the whole node, so only administrators may read it. Throws HttpError 403. */
function requireOperator({ caller: { account } }: Pick<PowerDnsContext, 'caller'>): void {
  if (account.role !== 'admin') throw new HttpError(403, 'forbidden', 'Only administrators are allowed to do this.');
}

const NO_AUTOPRIMARIES =
  'Autoprimaries are not supported. Add secondary zones with their primaries, or consume a catalog zone.';
const NO_VIEWS = 'Views and networks are not supported: every client gets the same answers.';

/** Lists that are always empty, with the reason why additions are rejected. */
function missingParts(read: (path: string, run: () => unknown) => ServedRoute): ServedRoute[] {
  const reject = (method: 'POST' | 'PUT' | 'DELETE', path: string, reason: string): ServedRoute =>
    powerDnsRoute({
      method,
      path: SERVER + path,
      scope: 'dns',
      run() {
        throw method === 'DELETE' ? notFound(reason) : unsupported(reason);
      },
    });
  const none = (path: string, reason: string): ServedRoute =>
    read(SERVER + path, () => {
      throw notFound(reason);
    });
  return [
    read(`${SERVER}/autoprimaries`, () => []),
    reject('POST', '/autoprimaries', NO_AUTOPRIMARIES),
    reject('DELETE', '/autoprimaries/{ip}/{nameserver}', NO_AUTOPRIMARIES),
    read(`${SERVER}/views`, () => ({ views: [] })),
    none('/views/{view}', NO_VIEWS),
    reject('POST', '/views/{view}', NO_VIEWS),
    reject('DELETE', '/views/{view}/{zone_id}', NO_VIEWS),
    read(`${SERVER}/networks`, () => ({ networks: [] })),
    none('/networks/{ip}/{length}', NO_VIEWS),
    reject('PUT', '/networks/{ip}/{length}', NO_VIEWS),
  ];
}

/** A whole number above 0. Throws InvalidError. */
export function readPositive(text: string, message: string): number {
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number > 0) return number;
  throw unprocessable(message);
}
