/**
 * Detects at the start that this node was removed. etcd refuses its certificate, so it cannot read
 * its removal there; the other nodes report it.
 */
import { StateError } from '../base/errors.ts';
import { EtcdUnavailable } from '../journal/etcd-client/errors.ts';
import type { Member } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';

/** Timeout in milliseconds of a response. */
const DEADLINE = 2000;
/** Errors of a connection whose certificate the server refuses (RFC 8446 section 6.2). */
const REFUSED = /other side closed|alert|ECONNRESET|socket hang up/i;

/**
 * Throws StateError `removed` if etcd closes the connections of this node, and at least one other
 * node refuses it and none accepts it. An etcd that is down or has no quorum is no reason.
 * `trouble`: error of the last read of etcd.
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

/** Null: no response. */
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
