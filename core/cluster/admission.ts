/**
 * Decides whether a node may be a member, by the key of its certificate. The certificate only
 * proves a past invitation. A name proves nothing, since it may be given to another node.
 */
import type { X509Certificate } from 'node:crypto';
import { StateError } from '../base/errors.ts';
import { EtcdDamaged } from '../journal/etcd-client/errors.ts';
import { FIRST_LEVEL, KEY_LEVEL } from '../journal/feature-level.ts';
import { fromUrlHost } from '../net/address/url-host.ts';
import { isExpired } from './invitations.ts';
import type { ClusterState, Invited, Member } from './members.ts';
import { keyPrint } from './peer-tls.ts';

export interface Applicant {
  readonly self: Pick<Member, 'name' | 'address' | 'version' | 'level'> & { readonly key: string };
  /** Id of its data folder. */
  readonly id: string;
  /** Random id of this process. */
  readonly process: string;
  /** Id of the "waypost cluster join" that installed its certificate; null: none. */
  readonly join: string | null;
  /** Whether this process has been a member and was not removed since. */
  readonly wasThere: boolean;
  /** Key of its entry in etcd. */
  readonly entry: string;
}

/**
 * `known`: its entry has its key. `invited`: an invitation becomes its entry. `first`: etcd has no
 * members, invitations, removals or damaged values. `adopted`: its entry was written by a version
 * without keys, with the id of its data folder or none. `restored`: its entry was lost while it
 * ran, or is unreadable.
 */
export type Admission = 'known' | 'invited' | 'first' | 'adopted' | 'restored';

/** Throws StateError if the node cannot be a member, and EtcdDamaged. */
export function admit(applicant: Applicant, state: ClusterState, now = Date.now()): Admission {
  const { self, id, wasThere, entry } = applicant;
  const { removed, removedKeys, nodes, sessions, damaged, agreedLevel, invited, used } = state;
  const { name, key, version, level = FIRST_LEVEL } = self;
  if (removed.has(id) || removedKeys.has(key))
    throw new StateError(
      'removed',
      `This node was removed from the cluster, or its invitation expired before its first start. To add it again, move its data folder away, run "waypost cluster invite ${name}" on the first node, and "waypost cluster join" here.`,
    );
  if (used.has(key) && used.get(key) !== applicant.join)
    throw new StateError(
      'invitation_used',
      `The invitation of this node was used before, in another data folder: an invitation is for one node. Run "waypost cluster invite ${name}" on the first node, and "waypost cluster join" here, in an empty data folder.`,
    );
  if (level < agreedLevel)
    throw new StateError(
      'feature_level',
      `This node has version ${version}, which cannot read what the cluster writes (feature level ${level}, agreed ${agreedLevel}). Install the version of the other nodes: ${[...new Set([...nodes.values()].map((member) => member.version))].join(', ')}.`,
    );
  const admission = admissionOf(applicant, state);
  if (admission === null) {
    // Its entry may exist and be temporarily unreadable.
    if (damaged.has(entry)) throw new EtcdDamaged(entry, damaged.get(entry) ?? '');
    const owner = nodes.get(name);
    const why =
      owner === undefined
        ? 'no invitation for the key of its certificate is left'
        : `the member ${name} has another key`;
    throw new StateError(
      'no_member',
      `This node is not a member of the cluster: ${why} (SHA-256 ${key}). Run "waypost cluster invite ${name}" on the first node, and "waypost cluster join" here, in an empty data folder. For a certificate of an authority of your own, run "waypost cluster invite ${name} --certificate FILE" on a member.`,
    );
  }
  const invitation = invited.get(key);
  if (admission === 'invited' && invitation !== undefined) requireTerms(self, invitation, now);
  const session = sessions.get(name);
  const isOwn = session === undefined || session.process === '' || session.process === applicant.process;
  if (!isOwn && !(session.id === id && !wasThere))
    throw new StateError(
      'name_taken',
      `Another node of the cluster is also called ${name} (${nodes.get(name)?.address}). Use a unique WAYPOST_NODE_NAME for each node, with an invitation for that name.`,
    );
  return admission;
}

/** Throws StateError if the invitation has expired, or is for another address. */
function requireTerms({ name, address }: Applicant['self'], invitation: Invited, now: number): void {
  if (isExpired(invitation, now))
    throw new StateError(
      'invitation_expired',
      `The invitation of this node has expired. Run "waypost cluster invite ${name}" on the first node, and "waypost cluster join" here, in an empty data folder.`,
    );
  const { hosts = [] } = invitation;
  const host = fromUrlHost(address.slice(0, address.lastIndexOf(':')));
  if (hosts.length > 0 && ![name, ...hosts].some((allowed) => allowed.toLowerCase() === host.toLowerCase()))
    throw new StateError(
      'other_address',
      `The invitation is for ${name} at ${hosts.join(', ')}, but this node has the address ${host} (peer.listen or peer.advertise). Set peer.advertise to an address of the invitation, or run "waypost cluster invite ${name} --host ${host}" on the first node for another one.`,
    );
}

function admissionOf({ self, id, wasThere, entry }: Applicant, state: ClusterState): Admission | null {
  const { nodes, invited, removed, removedKeys, certificates, damaged, agreedLevel } = state;
  const stored = nodes.get(self.name);
  if (stored?.key === self.key) return 'known';
  if (invited.get(self.key)?.name === self.name) return 'invited';
  // Only while versions without keys may be members. An entry without an id also matches.
  const isEarlier = stored !== undefined && stored.key === undefined && agreedLevel < KEY_LEVEL;
  if (isEarlier && (stored.id === id || stored.id === null)) return 'adopted';
  if (wasThere) return 'restored';
  const wasIssued = [...certificates.values()].some(({ key, name }) => key === self.key && name === self.name);
  if (damaged.has(entry) && wasIssued) return 'restored';
  const isEmpty = nodes.size + invited.size + removed.size + removedKeys.size + damaged.size === 0;
  return isEmpty ? 'first' : null;
}

/**
 * The member with a certificate on the peer channel. Undefined: none, such as after its removal.
 * `acceptsNames`: members without a recorded key match by name.
 */
export function memberWith(
  certificate: X509Certificate,
  nodes: Iterable<Member>,
  acceptsNames: boolean,
): string | undefined {
  const print = keyPrint(certificate);
  let named: string | undefined;
  for (const { name, key } of nodes) {
    if (key !== print && (key !== undefined || !acceptsNames)) continue;
    if (certificate.checkHost(name) === undefined) continue;
    if (key === print) return name;
    named ??= name;
  }
  return named;
}
