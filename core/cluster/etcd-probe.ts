/** Test connections to members of etcd: what they accept, and which certificate they show. */
import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { range } from '../journal/etcd-client/messages.ts';
import { fromUrlHost } from '../net/address/url-host.ts';
import type { Pair } from './authority.ts';
import type { Placed } from './files.ts';

const TIMEOUT_MS = 2000;

/** Whether a member of etcd accepts the certificate of `pair` and has a certificate of `ca`. */
export async function isAccepted({ etcd }: Placed, endpoint: string, ca: string, pair: Pair): Promise<boolean> {
  const tls = { ca, certificate: pair.certificate, key: pair.key };
  const gateway = new EtcdGateway({ endpoints: [endpoint], timeout: TIMEOUT_MS, tls });
  try {
    await gateway.transaction([], [range(`${etcd.prefix}head`)]);
    return true;
  } catch {
    return false;
  } finally {
    await gateway.close();
  }
}

/** The certificate of a member of etcd; undefined: it does not answer. `pair`: for the client. */
export function shownAt(endpoint: string, pair: Pair): Promise<X509Certificate | undefined> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve) => {
    const socket = connect({
      host: fromUrlHost(hostname),
      port: Number(port || 443),
      timeout: TIMEOUT_MS,
      cert: pair.certificate,
      key: pair.key,
      // Only looks: nothing is sent.
      rejectUnauthorized: false,
    });
    const settle = (certificate?: X509Certificate): void => {
      socket.destroy();
      resolve(certificate);
    };
    socket.on('secureConnect', () => settle(socket.getPeerX509Certificate()));
    socket.on('timeout', () => settle());
    socket.on('error', () => settle());
  });
}
