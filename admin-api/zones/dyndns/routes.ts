/**
 * The update protocol of dyndns2, which routers and ddclient speak. Its contract is that of the
 * protocol, so the OpenAPI document does not list it: see docs/dynamic-dns.md.
 */
import { nameId } from '../../../core/dns/wire/name.ts';
import type { Services } from '../../change/services.ts';
import { errorResponse, statusOf } from '../../http/errors.ts';
import { RateLimit } from '../../http/rate-limit.ts';
import { foreignRoute, type RawReply, type ServedRoute, withAuthorization } from '../../http/route.ts';
import type { HttpRequest, HttpResponse } from '../../http/transport.ts';
import { readAddresses } from './addresses.ts';
import { readHost, updateHost } from './update.ts';

export const PREFIX = '/nic';
const PATH = `${PREFIX}/update`;

/** As in the protocol. */
const MAX_HOSTS = 20;
/** Updates of a host in WINDOW seconds. A router sends one when its address changes. */
const UPDATES = 30;
const WINDOW = 300;
const MAX_BODY = 16 << 10;

const TEXT = 'text/plain; charset=utf-8';

export function dynDnsRoutes(services: Services): ServedRoute[] {
  const updates = new RateLimit('dyndns', UPDATES, WINDOW);
  return (['GET', 'POST'] as const).map((method) =>
    foreignRoute({
      method,
      path: PATH,
      scope: 'dns',
      access: 'write',
      forLimited: true,
      limit: MAX_BODY,
      credentials: withPassword,
      async run(context): Promise<RawReply> {
        const { caller, parameters, headers } = context;
        const sent = method === 'GET' ? parameters : new URLSearchParams([...parameters, ...formOf(context.body)]);
        const hosts = (sent.get('hostname') ?? '').split(',');
        const addresses = readAddresses(sent, context.remoteAddress);
        const answers: string[] = [];
        const answer = async (text: string, isFirst: boolean): Promise<string> => {
          const host = readHost(text);
          if (host === null) return 'notfqdn';
          if (!updates.tryTake(`${caller.account.id} ${nameId(host)}`)) return 'abuse';
          return addresses === null ? 'dnserr' : updateHost(services, context, host, addresses, isFirst);
        };
        if (hosts.length > MAX_HOSTS) answers.push('numhost');
        else for (const [i, text] of hosts.entries()) answers.push(await answer(text, i === 0));
        headers['Content-Type'] = TEXT;
        return { raw: `${answers.join('\n')}\n` };
      },
    }),
  );
}

const formOf = (body: Buffer): URLSearchParams => new URLSearchParams(body.toString('latin1'));

/** The password of Basic authentication is the token (RFC 7617); the user name can be any. */
function withPassword(request: HttpRequest): HttpRequest {
  const [, credentials] = /^Basic +(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
  const text = Buffer.from(credentials ?? '', 'base64').toString();
  const colon = text.indexOf(':');
  return withAuthorization(request, colon < 0 ? '' : `Bearer ${text.slice(colon + 1)}`);
}

/**
 * The response to an error of a path below PREFIX. Clients read the text of a response with status
 * 200 only; others are failures for them, and 401 makes them send their password.
 */
export function dynDnsError(error: unknown, requestId: string): HttpResponse {
  const response = errorResponse(error, requestId);
  const status = statusOf(error) ?? 500;
  const reply = (text: string, as: number, headers: Readonly<Record<string, string>> = {}): HttpResponse => ({
    ...response,
    status: as,
    headers: { ...response.headers, ...headers, 'Content-Type': TEXT },
    body: `${text}\n`,
  });
  if (status === 401 || status === 403)
    return reply('badauth', 401, { 'WWW-Authenticate': 'Basic realm="Waypost", charset="UTF-8"' });
  if (status === 429) return reply('abuse', 200);
  if (status >= 500) return reply('911', status);
  return response;
}
