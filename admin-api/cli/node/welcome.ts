/**
 * The texts that the daemon prints on a terminal: the password of the first account, and when it is
 * ready its addresses, and commands to try.
 */

import { formatJson } from '../../../core/base/log/index.ts';
import { formatListen, type ListenAddress } from '../../../core/config/index.ts';
import { toUrlHost } from '../../../core/net/address/url-host.ts';
import { DEFAULT_URL } from '../base/client.ts';

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
  /** Whether there is an account "admin". */
  readonly hasAdmin: boolean;
  readonly milliseconds: number;
}

/** Replaces the unspecified address with the loopback address. */
const LOOPBACK_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** As lines of the log are JSON, the text is one, too: a collector rejects others. */
export const asLogLine = (text: string): string =>
  formatJson({ time: new Date(), level: 'info', message: text.replace(/\s+/g, ' ').trim(), fields: {} });

/** Printed before the account is created, because the process can be killed at any time. */
export const firstPassword = (password: string): string =>
  `\nThe account "admin" has the password  ${password}  (shown only once)\n\n`;

export const NO_FIRST_PASSWORD =
  '\nThe account "admin" was not created by this start: the password above is not valid.\n\n';

/** The ready line, and commands to copy: some shells expand the brackets of IPv6 URLs. */
export function welcome(ready: Ready): string {
  const { admin, dns, http, https, milliseconds } = ready;
  const api = `http://${formatListen(toReachable(admin))}`;
  const server = toReachable(dns[0]);
  const all = [
    ...http.map((listen) => `http ${formatListen(listen)}`),
    ...https.map((listen) => `https ${formatListen(listen)}`),
  ];
  const edge = all.length === 0 ? 'off' : all.join(', ');
  return `
waypost ready in ${(milliseconds / 1000).toFixed(1)} s: DNS on ${dns.map(formatListen).join(', ')}, API on ${api}, edge on ${edge}

Dashboard: ${api}/

Try:
  export WAYPOST_TOKEN=$(${tokenCommand(ready, api)}
  curl -s '${api}/api/v1/domains' -H "authorization: Bearer $WAYPOST_TOKEN" -H 'content-type: application/json' -d '{"domain":"example.com"}'
  dig @${server.address} -p ${server.port} example.com SOA
${edgeLine(http, https)}`;
}

/** A command that prints a token, and the rest of its line. */
function tokenCommand({ password, hasAdmin }: Ready, api: string): string {
  if (password !== null)
    return `curl -s '${api}/api/v1/auth/token' -H 'content-type: application/json' -d '{"login":"admin","password":"${password}","name":"first"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`;
  const url = api === DEFAULT_URL ? '' : ` --url '${api}'`;
  if (!hasAdmin) return `waypost token create --login LOGIN${url})   # with the login of an account`;
  return `waypost token create --login admin${url})   # if its password is lost, stop the daemon: waypost account reset admin`;
}

/** A command that requests the example site, which works after its proxy is enabled. */
function edgeLine(http: readonly ListenAddress[], https: readonly ListenAddress[]): string {
  // Prefers HTTP, which works before a certificate is issued.
  const listen = http[0] ?? https[0];
  if (listen === undefined) return '';
  const { address, port } = toReachable(listen);
  const scheme = http.length > 0 ? 'http' : 'https';
  return `  curl --connect-to '::${toUrlHost(address)}:${port}' '${scheme}://example.com/'   # once its proxy is on: waypost proxy set example.com ORIGIN && waypost proxy on example.com\n`;
}

const toReachable = (listen: ListenAddress): ListenAddress => ({
  ...listen,
  address: LOOPBACK_ADDRESS.get(listen.address) ?? listen.address,
});
