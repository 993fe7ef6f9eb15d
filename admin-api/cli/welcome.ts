/**
 * The text that the daemon prints on a terminal when it is ready: its addresses, and commands to
 * try.
 */
import { toUrlHost } from '../../core/address/url-host.ts';
import { formatListen, type ListenAddress } from '../../core/config/index.ts';

export interface Ready {
  readonly admin: ListenAddress;
  readonly dns: readonly ListenAddress[];
  readonly http: readonly ListenAddress[];
  readonly https: readonly ListenAddress[];
  /**
   * Generated password of the new account "admin"; null: the account existed, or its password was
   * set.
   */
  readonly password: string | null;
  readonly milliseconds: number;
}

/** Replaces the unspecified address with the loopback address. */
const LOOPBACK_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The ready line, and commands to copy. */
export function welcome({ admin, dns, http, https, password, milliseconds }: Ready): string {
  const api = `http://${formatListen(toReachable(admin))}`;
  const server = toReachable(dns[0]);
  const shown = password === null ? '' : `\nThe account "admin" has the password  ${password}  (shown only once)\n`;
  // The single quotes of the body are interrupted, so that the shell expands the variable.
  const secret = password ?? `'"$WAYPOST_ADMIN_PASSWORD"'`;
  const all = [
    ...http.map((listen) => `http ${formatListen(listen)}`),
    ...https.map((listen) => `https ${formatListen(listen)}`),
  ];
  const edge = all.length === 0 ? 'off' : all.join(', ');
  return `${shown}
waypost ready in ${(milliseconds / 1000).toFixed(1)} s: DNS on ${dns.map(formatListen).join(', ')}, API on ${api}, edge on ${edge}

Dashboard: ${api}/

Try:
  export WAYPOST_TOKEN=$(curl -s ${api}/api/v1/auth/token -H 'content-type: application/json' -d '{"login":"admin","password":"${secret}","name":"first"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s ${api}/api/v1/domains -H "authorization: Bearer $WAYPOST_TOKEN" -H 'content-type: application/json' -d '{"domain":"example.com"}'
  dig @${server.address} -p ${server.port} example.com SOA
${edgeLine(http, https)}`;
}

/** A command that requests the example site, for when its proxy is on. */
function edgeLine(http: readonly ListenAddress[], https: readonly ListenAddress[]): string {
  // Prefers HTTP, which works before a certificate is issued.
  const listen = http[0] ?? https[0];
  if (listen === undefined) return '';
  const { address, port } = toReachable(listen);
  const scheme = http.length > 0 ? 'http' : 'https';
  return `  curl --connect-to ::${toUrlHost(address)}:${port} ${scheme}://example.com/   # once its proxy is on: waypost proxy set example.com ORIGIN && waypost proxy on example.com\n`;
}

const toReachable = (listen: ListenAddress): ListenAddress => ({
  ...listen,
  address: LOOPBACK_ADDRESS.get(listen.address) ?? listen.address,
});
