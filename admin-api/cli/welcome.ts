/** What a person reads when the daemon is ready: where it listens, and what to try. */
import { toUrlHost } from '../../core/address/url-host.ts';
import { formatListen, type ListenAddress } from '../../core/config/index.ts';

export interface Ready {
  readonly admin: ListenAddress;
  readonly dns: readonly ListenAddress[];
  readonly http: readonly ListenAddress[];
  readonly https: readonly ListenAddress[];
  /** Of the new account "admin"; null: there is one already, or it was set. */
  readonly password: string | null;
  readonly milliseconds: number;
}

/** Any address of a family is this machine's. */
const REACHED: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The ready line, and commands to copy. */
export function welcome({ admin, dns, http, https, password, milliseconds }: Ready): string {
  const api = `http://${formatListen(reached(admin))}`;
  const server = reached(dns[0]);
  const shown = password === null ? '' : `\nThe account "admin" has the password  ${password}  (shown only once)\n`;
  // Single quotes around the body end for the variable, which the shell puts in.
  const secret = password ?? `'"$WAYPOST_ADMIN_PASSWORD"'`;
  const all = [...http.map((one) => `http ${formatListen(one)}`), ...https.map((one) => `https ${formatListen(one)}`)];
  const edge = all.length === 0 ? 'off' : all.join(', ');
  return `${shown}
waypost ready in ${(milliseconds / 1000).toFixed(1)} s: DNS on ${dns.map(formatListen).join(', ')}, API on ${api}, edge on ${edge}

Try:
  export WAYPOST_TOKEN=$(curl -s ${api}/api/v1/auth/token -H 'content-type: application/json' -d '{"login":"admin","password":"${secret}","name":"first"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s ${api}/api/v1/domains -H "authorization: Bearer $WAYPOST_TOKEN" -H 'content-type: application/json' -d '{"domain":"example.com"}'
  dig @${server.address} -p ${server.port} example.com SOA
${edgeLine(http, https)}`;
}

/** A site of the example, once its proxy is on. */
function edgeLine(http: readonly ListenAddress[], https: readonly ListenAddress[]): string {
  // Without TLS it answers before there is a certificate.
  const place = http[0] ?? https[0];
  if (place === undefined) return '';
  const { address, port } = reached(place);
  const scheme = http.length > 0 ? 'http' : 'https';
  return `  curl --connect-to ::${toUrlHost(address)}:${port} ${scheme}://example.com/   # once its proxy is on: waypost proxy set example.com ORIGIN && waypost proxy on example.com\n`;
}

const reached = (listen: ListenAddress): ListenAddress => ({
  ...listen,
  address: REACHED.get(listen.address) ?? listen.address,
});
