/** Checks an origin with the edge's client, so the same address rules and TLS apply. */
import { openSecrets } from '../../core/base/secrets.ts';
import { type Config, type Follow, secretKeyFile } from '../../core/config/index.ts';
import type { Probe, ProbeRequest, ProbeResult } from '../../core/site/health/probe.ts';
import { ORIGINS } from '../../core/site/pools/document.ts';
import { nameOf } from '../../core/site/pools/match.ts';
import type { ZoneSettings } from '../../core/zone/compile/settings.ts';
import { openOrigins } from '../gateway/origins.ts';
import { NO_BODY } from '../http/exchange/body-queue.ts';
import type { OriginClient } from '../origin/client.ts';
import { type Fetch, OriginCancel, OriginError, type OriginFault } from '../origin/origin.ts';
import { poolOrigin } from '../origin/origin-address.ts';

interface OpenProbeOptions {
  readonly config: Config;
  readonly zoneSettings: ZoneSettings;
  /** As LiveConfig; omitted: the configuration never changes. */
  readonly follow?: Follow;
}

interface OpenProbe {
  readonly probe: Probe;
  close(): Promise<void>;
}

export function openProbe({ config, zoneSettings: { cluster }, follow }: OpenProbeOptions): OpenProbe {
  let client: OriginClient | null = null;
  // Opened on the first check: most nodes check no origins.
  const fetch: Fetch = (request) => {
    client ??= openOrigins(config.edge, [...cluster.ipv4, ...cluster.ipv6], null);
    return client.fetch(request);
  };
  /** Clients of earlier settings, for their checks in flight. They close idle connections. */
  const retired: OriginClient[] = [];
  follow?.(['edge'], () => {
    if (client !== null) retired.push(client);
    client = null;
  });
  const secrets = openSecrets(secretKeyFile(config));
  const openKey: OpenStoredKey = (domainId, sealed) => ORIGINS.unseal(secrets, domainId, sealed).toString();
  return {
    probe: createProbe(fetch, openKey),
    close: async () => void (await Promise.all([...retired, client].map((each) => each?.close()))),
  };
}

type OpenStoredKey = (domainId: ProbeRequest['domainId'], sealed: string) => string;

const HEADERS = ['user-agent', 'waypost-health-check', 'accept', '*/*'];

export function createProbe(fetch: Fetch, openKey: OpenStoredKey): Probe {
  return async (request) => {
    const { check } = request;
    const cancel = new OriginCancel();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      cancel.cancel();
    }, check.timeout * 1000);
    try {
      const host = visitedHost(request);
      const { status, body } = await fetch({
        origin: poolOrigin(request.entry, request.origin, (sealed) => openKey(request.domainId, sealed)),
        serverName: host,
        method: 'GET',
        path: check.path,
        authority: host,
        headers: HEADERS,
        body: NO_BODY,
        protocol: '',
        cancel,
        client: request.account,
        isLenient: request.isLenient,
      });
      // Cancelling closes the connection, so each check also tests that the origin accepts one.
      body.cancel();
      return judgeStatus(status, check.status);
    } catch (error) {
      if (isLate) return failure(`No response within ${check.timeout} ${check.timeout === 1 ? 'second' : 'seconds'}.`);
      if (!(error instanceof OriginError)) return failure('The check failed.');
      return error.fault === 'busy' ? { kind: 'busy' } : failure(reasonOf(error.fault));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The host that visitors request: the name of the entry, or the domain. */
function visitedHost({ domain, entry }: ProbeRequest): string {
  const name = nameOf(entry).replace(/^\*\.?/, '');
  return name === '' || name === '@' ? domain : `${name}.${domain}`;
}

function judgeStatus(status: number, expected: number | null): ProbeResult {
  const isExpected = expected === null ? status >= 200 && status < 400 : status === expected;
  return isExpected ? { kind: 'success' } : failure(`Status ${status}; expected ${expected ?? '200 to 399'}.`);
}

const failure = (reason: string): ProbeResult => ({ kind: 'failure', reason });

/** As a sentence. */
export const reasonOf = (fault: OriginFault): string => FAULT_REASONS[fault === 'busy' ? 'aborted' : fault];

/** Contain no addresses: an internal resolver may be their only source. */
const FAULT_REASONS: Readonly<Record<Exclude<OriginFault, 'busy'>, string>> = {
  forbidden: 'Its address is not public, or belongs to this service.',
  unresolved: 'Its host name has no address.',
  refused: 'It refused the connection.',
  unreachable: 'There is no route to its address.',
  'connect-timeout': 'The connection timed out.',
  tls: 'The TLS handshake failed: check its certificate.',
  reset: 'It closed the connection before it responded.',
  malformed: 'Its response is malformed.',
  'header-timeout': 'It sent no response in time.',
  'idle-timeout': 'It sent no response in time.',
  down: 'It is down.',
  'slow-body': 'The check failed.',
  aborted: 'The check was aborted.',
};
