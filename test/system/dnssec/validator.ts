/**
 * Unbound, which validates a zone by the DS records of its parent, and trusts the parent's key. It
 * requires signatures of each algorithm in the DS records.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLASS_IN, RCODE } from '../../../core/dns/wire/types.ts';
import { startChild } from '../../support/child.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { encodeQuery } from '../../support/message.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { temporaryFolder } from '../../support/temp.ts';
import type { ParentZone } from './parent.ts';

/** Milliseconds after which a question is repeated, as clients do. */
const RETRY_MS = 5000;
/** The resolver may wait for a node that was killed, or for a machine that is busy. */
const TRIES = Math.ceil(PATIENCE_MS / RETRY_MS);
/**
 * Queries to a nameserver that does not respond, each after twice the time: with Unbound's 5, a
 * pause of some seconds would be a SERVFAIL.
 */
const UPSTREAM_TRIES = 10;

export interface ValidatorOptions {
  readonly parent: ParentZone;
  /** Name of the zone that is validated. */
  readonly zone: string;
  /** Ports of its nameservers. */
  readonly ports: readonly number[];
  readonly env?: Record<string, string>;
  /** Seconds for which it keeps any record; omitted: their TTL. */
  readonly maxTtl?: number;
}

/** What a resolver returns: `secure` with AD, `bogus` for SERVFAIL. */
export type Verdict = 'secure' | 'insecure' | 'bogus' | 'no response';

export interface Validator {
  readonly port: number;
  ask(name: Uint8Array, type: number): Promise<Verdict>;
  /** Its log: the reason of each SERVFAIL. */
  output(): string;
  stop(): Promise<void>;
}

const config = ({ parent, zone, ports, maxTtl }: ValidatorOptions, folder: string, port: number): string => `
server:
  interface: 127.0.0.1
  port: ${port}
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  verbosity: 1
  val-log-level: 2
  log-servfail: yes
  do-daemonize: no
  do-not-query-localhost: no
  do-ip6: no
  num-threads: 1
  module-config: "validator iterator"
  qname-minimisation: no
  target-fetch-policy: "0 0 0 0 0"
  val-bogus-ttl: 0
  harden-algo-downgrade: yes
  infra-host-ttl: 0
${maxTtl === undefined ? '' : `  cache-max-ttl: ${maxTtl}\n`}  outbound-msg-retry: ${UPSTREAM_TRIES}
  trust-anchor: "${parent.anchor}"
stub-zone:
  name: "example."
${parent.addresses.map((address) => `  stub-addr: ${address}\n`).join('')}stub-zone:
  name: "${zone}"
${ports.map((to) => `  stub-addr: 127.0.0.1@${to}\n`).join('')}remote-control:
  control-enable: no
`;

export async function startValidator(options: ValidatorOptions): Promise<Validator> {
  const folder = temporaryFolder('unbound');
  const port = await freePort();
  const file = join(folder, 'unbound.conf');
  writeFileSync(file, config(options, folder, port));
  const child = startChild('/usr/sbin/unbound', ['-d', '-p', '-c', file], { ...process.env, ...options.env });
  await child.waitFor(/start of service/);
  const client = await UdpClient.connect(port);
  let id = 0;
  return {
    port,
    async ask(name, type) {
      id = (id + 1) & 0xffff;
      const edns = { version: 0, size: 4096, do: true };
      const response = await client.query(
        encodeQuery({ name, type, class: CLASS_IN, edns }, id, true),
        RETRY_MS,
        TRIES,
      );
      if (response === null) return 'no response';
      if ((response[3] & 15) === RCODE.SERVFAIL) return 'bogus';
      return (response[3] & 0x20) !== 0 ? 'secure' : 'insecure';
    },
    output: () => child.output(),
    async stop() {
      client.close();
      await child.stop();
    },
  };
}
