/** Invited and removed keys: the operations on etcd of commands and nodes (members.ts). */
import { X509Certificate } from 'node:crypto';
import { StateError } from '../base/errors.ts';
import { EtcdUnavailable } from '../journal/etcd-client/errors.ts';
import { EtcdGateway, type EtcdSettings } from '../journal/etcd-client/gateway.ts';
import { hasRevision, type Operation, put, remove } from '../journal/etcd-client/messages.ts';
import {
  type ClusterState,
  type InvitationTerms,
  type IssuedCertificate,
  keyOf,
  type Member,
  readMembers,
} from './members.ts';
import { keyPrint, keyPrintOf, type PeerTls } from './peer-tls.ts';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const serialOf = ({ serialNumber }: X509Certificate): string => serialNumber.toLowerCase();

/** Records that the authority has issued a certificate, so that it can be revoked. */
export function certificatePut(prefix: string, name: string, certificate: X509Certificate): Operation {
  const expires = Math.floor(Date.parse(certificate.validTo) / 1000);
  const value = { key: keyPrint(certificate), node: name, expires };
  return put(keyOf(prefix, 'certificate', serialOf(certificate)), json(value));
}

/** Null: it is recorded already, or the certificate is not known. */
export function issuedPut(
  prefix: string,
  { name, key, certificate: pem }: Member,
  certificates: ReadonlyMap<string, IssuedCertificate>,
): Operation | null {
  if (pem === undefined) return null;
  const certificate = new X509Certificate(pem);
  if (certificates.get(serialOf(certificate))?.key === key) return null;
  return certificatePut(prefix, name, certificate);
}

/** Records a removed key, which can never be a member again. */
export const removedKeyPut = (prefix: string, { name, key }: Pick<Member, 'name' | 'key'>): Operation =>
  put(keyOf(prefix, 'removed-key', String(key)), json({ node: name }));

/** Records which join has used the invitation of a key. `join` null: it has no id. */
export const usedPut = (prefix: string, key: string, join: string | null): Operation =>
  put(keyOf(prefix, 'used', key), json({ join }));

/**
 * Allows the key of a certificate to become the member of that name, once. Rejects with StateError
 * `removed`, EtcdUnavailable and EtcdRefused.
 */
export async function inviteKey(
  gateway: EtcdGateway,
  prefix: string,
  name: string,
  pem: string,
  terms: InvitationTerms = {},
): Promise<void> {
  const certificate = new X509Certificate(pem);
  const key = keyPrint(certificate);
  const { succeeded } = await gateway.transaction(
    [hasRevision(keyOf(prefix, 'removed-key', key), 0)],
    [put(keyOf(prefix, 'invited', key), json({ node: name, ...terms })), certificatePut(prefix, name, certificate)],
  );
  if (!succeeded)
    throw new StateError(
      'removed',
      `The key of this certificate was removed from the cluster (SHA-256 ${key}). ${name} needs a new key: move the folder "cluster" of its data folder away, and join with a new invitation.`,
    );
}

/**
 * Detects early that the cluster would refuse an invitation. At the start of the daemon the members
 * decide (admission.ts). Throws StateError `invitation_expired`, `invitation_used`.
 */
export async function requireUsable(
  { endpoints, timeout, prefix }: Pick<EtcdSettings, 'endpoints' | 'timeout'> & { readonly prefix: string },
  { name, expires, ...tls }: PeerTls & InvitationTerms & { readonly name: string },
): Promise<void> {
  const again = `Create another one on the first node: waypost cluster invite ${name}`;
  const expired = (): StateError =>
    new StateError('invitation_expired', `The invitation for ${name} has expired. ${again}`);
  if (isExpired({ expires })) throw expired();
  const gateway = new EtcdGateway({ endpoints, timeout, tls });
  try {
    const { nodes, invited, used } = await readMembers(gateway, prefix);
    const key = keyPrintOf(tls.certificate);
    const invitation = invited.get(key);
    // Without members, "waypost cluster init" has not finished.
    if (nodes.size > 0 && (used.has(key) || invitation?.name !== name))
      throw new StateError(
        'invitation_used',
        `The invitation was used before, was withdrawn, or is not for ${name}. ${again}`,
      );
    if (invitation !== undefined && isExpired(invitation)) throw expired();
  } catch (error) {
    // Its member of etcd may be the next to start.
    if (!(error instanceof EtcdUnavailable)) throw error;
  } finally {
    await gateway.close();
  }
}

/**
 * Withdraws the expired invitations: their keys are refused by nodes, and their certificates by
 * etcd. Resolves with the names of the invited nodes. Rejects with EtcdUnavailable and EtcdRefused.
 */
export async function withdrawExpired(gateway: EtcdGateway, prefix: string, now = Date.now()): Promise<string[]> {
  const { invited } = await readMembers(gateway, prefix);
  const withdrawn: string[] = [];
  for (const [key, { name, revision, ...terms }] of invited) {
    if (!isExpired(terms, now)) continue;
    const invitation = keyOf(prefix, 'invited', key);
    // A failed transaction: the invitation was used or withdrawn meanwhile.
    const { succeeded } = await gateway.transaction(
      [hasRevision(invitation, revision)],
      [remove(invitation), ...(terms.external === true ? [] : [removedKeyPut(prefix, { name, key })])],
    );
    if (succeeded) withdrawn.push(name);
  }
  return withdrawn;
}

export const isExpired = ({ expires = Number.POSITIVE_INFINITY }: InvitationTerms, now = Date.now()): boolean =>
  expires * 1000 <= now;

/**
 * Writes a member as a version without keys would have: the member records its key at its first
 * start (admission.ts).
 */
export async function rememberMember(gateway: EtcdGateway, prefix: string, member: Member): Promise<void> {
  const key = keyOf(prefix, 'member', member.name);
  await gateway.transaction([hasRevision(key, 0)], [put(key, json(member))]);
}

/** Serial numbers of unexpired certificates whose key was removed. */
export const revokedSerials = (
  { certificates, removedKeys }: Pick<ClusterState, 'certificates' | 'removedKeys'>,
  now = Date.now() / 1000,
): string[] =>
  [...certificates]
    .flatMap(([serial, { key, expires }]) => (removedKeys.has(key) && expires > now ? [serial] : []))
    .sort();
