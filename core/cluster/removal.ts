/** Removes a node permanently from the cluster, and detects at the start that it was removed. */
import { existsSync } from 'node:fs';
import { StateError } from '../base/errors.ts';
import { EtcdUnavailable } from '../journal/etcd-client/errors.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { hasRevision, put, remove } from '../journal/etcd-client/messages.ts';
import { clusterFiles, etcdSettings, type Placed } from './files.ts';
import { issuedPut, removedKeyPut, revokedSerials } from './invitations.ts';
import { keyOf, type Member, readMembers } from './members.ts';
import { peerAgent } from './peer-agent.ts';
import type { PeerTls } from './peer-tls.ts';
import { revoke } from './revocation-list.ts';

/** Timeout in milliseconds of a response. */
const DEADLINE = 2000;
/** Errors of a connection whose certificate the server refuses (RFC 8446 section 6.2). */
const REFUSED = /other side closed|alert|ECONNRESET|socket hang up/i;

/**
 * Removes the member and the invitations of a name. Every node then refuses its key and the keys
 * invited for the name, and writes no longer list it as pending. Throws ConfigError,
 * EtcdUnavailable, EtcdRefused, and StateError: `no_member`, or `is_there` if the node runs and
 * `isForced` is false.
 */
export async function removeMember(config: Placed, name: string, isForced: boolean): Promise<void> {
  const gateway = new EtcdGateway(etcdSettings(config));
  const { prefix } = config.etcd;
  try {
    for (;;) {
      const { nodes, sessions, invited, certificates } = await readMembers(gateway, prefix);
      const member = nodes.get(name);
      const invitations = [...invited].filter(([, invitation]) => invitation.name === name);
      if (member === undefined && invitations.length === 0) {
        const all = [...nodes.keys()].sort().join(', ');
        throw new StateError('no_member', `The cluster has no node called ${name}. Its nodes: ${all || 'none'}.`);
      }
      const session = sessions.get(name);
      if (session !== undefined && !isForced)
        throw new StateError('is_there', `${name} is running. Stop its daemon first, or use --force.`);
      const { succeeded } = await gateway.transaction(
        [hasRevision(keyOf(prefix, 'session', name), session?.revision ?? 0)],
        [
          ...(['member', 'live', 'session'] as const).map((kind) => remove(keyOf(prefix, kind, name))),
          ...(typeof member?.id === 'string' ? [put(keyOf(prefix, 'removed', member.id), Buffer.from(name))] : []),
          ...(member?.key === undefined ? [] : [removedKeyPut(prefix, member)]),
          ...[member && issuedPut(prefix, member, certificates)].filter((issued) => issued != null),
          ...invitations.flatMap(([key]) => [
            remove(keyOf(prefix, 'invited', key)),
            removedKeyPut(prefix, { name, key }),
          ]),
        ],
      );
      // The node has started or stopped meanwhile.
      if (!succeeded) continue;
      const files = clusterFiles(config);
      // The daemons do the same; the daemon of this node may not run.
      if (existsSync(files.revoked)) await revoke(files, revokedSerials(await readMembers(gateway, prefix)));
      return;
    }
  } finally {
    await gateway.close();
  }
}

/**
 * Detects at the start that this node was removed. etcd refuses its certificate, so it cannot read
 * its removal there; the other nodes report it.
 *
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
