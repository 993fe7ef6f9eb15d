/**
 * One check of an answer of a steered record set: a connection, and for HTTP a request. It works
 * without the edge. The address of each connection is checked, as for origins.
 */
import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';
import type { ConnectRule } from '../../net/address/index.ts';
import { toUrlHost } from '../../net/address/url-host.ts';
import { createConnector, ForbiddenAddress, type Resolve, untilAborted } from '../../net/dial/checked-connector.ts';
import { type ConnectFault, connectFault } from '../../net/dial/connect-fault.ts';
import type { SteeringHealth } from '../../store/rows.ts';

export interface SteeringProbeRequest {
  /** An address, or a host name without the last dot. */
  readonly target: string;
  /** The host of the request, unless the check has one. */
  readonly host: string;
  readonly health: SteeringHealth;
}

/** Returns null for a success, else the reason as a sentence without addresses. Never rejects. */
export type SteeringProbe = (request: SteeringProbeRequest) => Promise<string | null>;

const MAX_HEADER = 16 * 1024;

interface ProbeOptions {
  readonly rule: ConnectRule;
  readonly resolve: Resolve;
  /** PEM certificates of trusted authorities, in addition to those of Node.js. */
  readonly ca?: string;
}

export function createSteeringProbe({ rule, resolve, ca: own }: ProbeOptions): SteeringProbe {
  const ca = own === undefined ? undefined : [...rootCertificates, own];
  return async (request) => {
    const { timeout, type } = request.health;
    const limit = new AbortController();
    const late = `No response within ${timeout} ${timeout === 1 ? 'second' : 'seconds'}.`;
    const timer = setTimeout(() => limit.abort(new Error(late)), timeout * 1000);
    const { signal } = limit;
    const connect = createConnector({ resolve, rule, ca, signal });
    try {
      const work = type === 'tcp' ? openConnection(connect, request) : requestPage(connect, request, signal);
      return await untilAborted(work, signal);
    } catch (error) {
      return signal.aborted ? late : reasonOf(error);
    } finally {
      clearTimeout(timer);
      // Ends the connection, whatever state it is in.
      limit.abort(new Error(late));
    }
  };
}

type Connect = ReturnType<typeof createConnector>;

function openConnection(connect: Connect, { target, health }: SteeringProbeRequest): Promise<null> {
  return new Promise((done, fail) => {
    const place = { hostname: toUrlHost(target), host: target, protocol: 'http:', port: `${health.port}` };
    connect(place, (error, socket) => {
      if (error !== null) {
        fail(error);
        return;
      }
      socket.destroy();
      done(null);
    });
  });
}

async function requestPage(
  connect: Connect,
  { target, host, health }: SteeringProbeRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const { type, port, path, status: expected } = health;
  const agent = new Agent({ connect, connections: 1, pipelining: 1, maxHeaderSize: MAX_HEADER });
  try {
    const { statusCode, body } = await agent.request({
      origin: `${type}://${toUrlHost(target)}:${port}`,
      path,
      method: 'GET',
      headers: { host: health.host ?? host, 'user-agent': 'waypost-health-check', accept: '*/*' },
      signal,
    });
    body.on('error', () => {});
    body.destroy();
    const isExpected = expected === null ? statusCode >= 200 && statusCode < 400 : statusCode === expected;
    return isExpected ? null : `Status ${statusCode}; expected ${expected ?? '200 to 399'}.`;
  } finally {
    void agent.destroy().catch(() => {});
  }
}

/** Contains no addresses: an internal resolver may be their only source. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return 'Its address is not public, or belongs to this service.';
  const fault = connectFault(error);
  if (fault !== undefined) return REASONS[fault];
  const { code = '' } = error as { code?: string };
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'Its response is malformed.';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return 'The TLS handshake failed: check its certificate.';
  return 'The check failed.';
}

const REASONS: Readonly<Record<ConnectFault, string>> = {
  refused: 'It refused the connection.',
  closed: 'It closed the connection before it responded.',
  'timed out': 'The connection timed out.',
  unreachable: 'There is no route to its address.',
  unresolved: 'Its host name has no address.',
};
