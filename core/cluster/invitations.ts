/** Invited and removed keys: the operations on etcd of commands and nodes (members.ts). */
import { X509Certificate } from 'node:crypto';
import { StateError } from '../base/errors.ts';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { hasRevision, type Operation, put } from '../journal/etcd-client/messages.ts';
import { type ClusterState, type IssuedCertificate, keyOf, type Member } from './members.ts';
import { keyPrint } from './peer-tls.ts';

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

/**
 * Allows the key of a certificate to become the member of that name, once. Rejects with StateError
 * `removed`, EtcdUnavailable and EtcdRefused.
 */
export async function inviteKey(gateway: EtcdGateway, prefix: string, name: string, pem: string): Promise<void> {
  const certificate = new X509Certificate(pem);
  const key = keyPrint(certificate);
  const { succeeded } = await gateway.transaction(
    [hasRevision(keyOf(prefix, 'removed-key', key), 0)],
    [put(keyOf(prefix, 'invited', key), json({ node: name })), certificatePut(prefix, name, certificate)],
  );
  if (!succeeded)
    throw new StateError(
      'removed',
      `The key of this certificate was removed from the cluster (SHA-256 ${key}). ${name} needs a new key: move the folder "cluster" of its data folder away, and join with a new invitation.`,
    );
}

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
