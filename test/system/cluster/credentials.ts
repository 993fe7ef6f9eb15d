/** What nodes of one cluster show each other, and share. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inviteKey } from '../../../core/cluster/invitations.ts';
import type { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';

/**
 * Makes an authority in the folder; the function that it returns makes a node's certificate there,
 * and gives the WAYPOST_* variables that name all of it.
 */
export function credentialsIn(folder: string): (name: string) => Record<string, string> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const issuer = { name: 'authority.cluster.test', key: ecKey() };
  const authority = file('ca.pem', certificate({ ...issuer, ca: true }));
  const secrets = file('secret.key', Buffer.alloc(32, 9).toString('base64'));
  return (name) => {
    const key = ecKey();
    return {
      WAYPOST_NODE_NAME: name,
      WAYPOST_PEER_CA_FILE: authority,
      WAYPOST_PEER_CERTIFICATE_FILE: file(`${name}.pem`, certificate({ name, key, issuer, dnsNames: [name] })),
      WAYPOST_PEER_KEY_FILE: file(`${name}.key`, pemOfKey(key)),
      WAYPOST_SECRETS_KEY_FILE: secrets,
    };
  };
}

/** Lets a node with these variables join, as `waypost cluster invite NAME --certificate` does. */
export async function inviteNode(
  gateway: EtcdGateway,
  credentials: Readonly<Record<string, string>>,
  prefix = '/waypost/',
): Promise<void> {
  const pem = readFileSync(credentials.WAYPOST_PEER_CERTIFICATE_FILE, 'utf8');
  await inviteKey(gateway, prefix, credentials.WAYPOST_NODE_NAME, pem);
}
