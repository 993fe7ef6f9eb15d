/**
 * A removed node cannot read in etcd that it was removed: etcd refuses its certificate. At its
 * start the other nodes say so.
 */
import { StateError } from '../base/errors.ts';
import { EtcdUnavailable } from '../journal/etcd-client/errors.ts';
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';

/** Milliseconds for the answer of a node. */
const DEADLINE = 2000;
/** How a server ends a connection whose certificate it refuses (RFC 8446 section 6.2). */
const REFUSED = /other side closed|alert|ECONNRESET|socket hang up/i;

/**
 * Throws StateError `removed` if etcd ends the connections of this node, and no other node accepts
 * it. An etcd that is down or without a majority is no reason. `trouble`: of the last read of etcd.
 */
export async function requireAccepted(
  trouble: unknown,
  name: string,
  others: Iterable<Member>,
  tls: PeerTls,
): Promise<void> {
  if (!(trouble instanceof EtcdUnavailable && REFUSED.test(trouble.message))) return;
  const statuses = await Promise.all([...others].map((member) => statusAt(member, tls)));
  if (!statuses.includes(403) || statuses.includes(200)) return;
  throw new StateError(
    'removed',
    `etcd refuses the certificate of this node, and the other nodes do not accept it as a member: it was removed from the cluster. To add it again, move its data folder away, run "waypost cluster invite ${name}" on the first node, and "waypost cluster join" here.`,
  );
}

/** Null: no answer. */
async function statusAt(member: Member, tls: PeerTls): Promise<number | null> {
  const dispatcher = peerAgent(member, tls, { connect: DEADLINE });
  try {
    const signal = AbortSignal.timeout(DEADLINE);
    const { statusCode, body } = await dispatcher.request({
      origin: `https://${member.address}`,
      path: '/v1/applied',
      method: 'GET',
      signal,
    });
    body.on('error', () => {});
    body.destroy();
    return statusCode;
  } catch {
    return null;
  } finally {
    await dispatcher.destroy();
  }
}
