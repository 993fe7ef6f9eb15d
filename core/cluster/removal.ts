/** Removes a node permanently from the cluster. */
import { existsSync } from 'node:fs';
import { StateError } from '../base/errors.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { hasRevision, put, remove } from '../journal/etcd-client/messages.ts';
import { clusterFiles, etcdSettings, type Placed } from './files.ts';
import { issuedPut, removedKeyPut, revokedSerials } from './invitations.ts';
import { keyOf, readMembers } from './members.ts';
import { revoke } from './revocation-list.ts';

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
