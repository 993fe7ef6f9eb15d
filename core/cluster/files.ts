/**
 * Paths of the cluster files of a node: from the settings, else in the folder `cluster` of its data
 * folder, where the commands create them.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { createPrivateFile, readPrivateFile } from '../base/private-file.ts';
import { CLUSTER_ENVIRONMENT, type Config } from '../config/index.ts';
import type { EtcdSettings } from '../journal/etcd-client/gateway.ts';
import type { PeerTls } from './peer-tls.ts';

export type Placed = Pick<Config, 'etcd' | 'peer' | 'dataDir'>;

export interface ClusterFiles {
  readonly folder: string;
  readonly ca: string;
  /** The key of the authority; on the first node only. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  /** WAYPOST_* variables, from which the node reads its settings. */
  readonly environment: string;
  /** ETCD_* variables of the member of etcd next to this node. */
  readonly etcdEnvironment: string;
  /** The folder of the list of revoked certificates: see revocation-list.ts. */
  readonly revoked: string;
  /** The folder of the authority that replaces this one: see renewal.ts. */
  readonly renewal: string;
  /** Invitations that were created before etcd had a log. */
  readonly invited: string;
  /** Random id of the "waypost cluster join" that created the folder. */
  readonly joined: string;
  /** The nodes of the cluster that this node last knew. */
  readonly knownNodes: string;
}

export function clusterFiles({ dataDir, peer }: Pick<Placed, 'dataDir' | 'peer'>): ClusterFiles {
  const folder = join(dataDir, 'cluster');
  return {
    folder,
    ca: peer.caFile ?? join(folder, 'ca.pem'),
    authority: join(folder, 'ca.key'),
    certificate: peer.certificateFile ?? join(folder, 'node.pem'),
    key: peer.keyFile ?? join(folder, 'node.key'),
    environment: join(dataDir, CLUSTER_ENVIRONMENT),
    etcdEnvironment: join(folder, 'etcd.environment'),
    revoked: join(folder, 'revoked'),
    renewal: join(folder, 'renewal'),
    invited: join(folder, 'invited.json'),
    joined: join(folder, 'joined.id'),
    knownNodes: join(folder, 'nodes.json'),
  };
}

/** Throws ConfigError. */
export function peerTls(config: Pick<Placed, 'dataDir' | 'peer'>): PeerTls {
  const { ca, certificate, key } = clusterFiles(config);
  for (const file of [ca, certificate, key])
    if (!existsSync(file))
      throw new ConfigError(
        'no_peer_certificate',
        `${file} is missing. The nodes of a cluster need certificates for mutual TLS. Run "waypost cluster init" on the first node, "waypost cluster join" on the others.`,
      );
  return {
    ca: read('peer.ca_file', ca),
    certificate: read('peer.certificate_file', certificate),
    key: read('peer.key_file', key),
  };
}

/**
 * With https, a node uses the same certificate for etcd as for its peers, unless the settings
 * differ. Throws ConfigError.
 */
export function etcdSettings(config: Placed): EtcdSettings {
  const { endpoints, timeout, caFile, certificateFile, keyFile } = config.etcd;
  if ((certificateFile === undefined) !== (keyFile === undefined))
    throw new ConfigError(
      'half_certificate',
      'etcd.certificate_file and etcd.key_file belong together: set both or neither.',
    );
  if (!endpoints.some((endpoint) => endpoint.startsWith('https:'))) return { endpoints, timeout };
  const own = clusterFiles(config);
  const optional = (setting: string, file: string | undefined, standard: string): string | undefined => {
    if (file !== undefined) return read(setting, file);
    return existsSync(standard) ? read(setting, standard) : undefined;
  };
  return {
    endpoints,
    timeout,
    tls: {
      ca: optional('etcd.ca_file', caFile, own.ca),
      certificate: optional('etcd.certificate_file', certificateFile, own.certificate),
      key: optional('etcd.key_file', keyFile, own.key),
    },
  };
}

function read(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError('bad_file', `${setting}: cannot read ${file}: ${(error as Error).message}.`);
  }
}

/** Random id of the "waypost cluster join" that created the cluster's folder; null: none did. */
export const joinId = (config: Pick<Placed, 'dataDir' | 'peer'>): string | null =>
  readPrivateFile(clusterFiles(config).joined)?.trim() ?? null;

/**
 * The id of a data folder, which distinguishes nodes with the same name. Creates the id on the
 * first call. Throws ConfigError.
 */
export function nodeId(dataDir: string): string {
  const file = join(dataDir, 'node.id');
  const stored = readPrivateFile(file);
  if (stored !== undefined) return stored.trim();
  createPrivateFile(file, randomBytes(16).toString('hex'));
  return nodeId(dataDir);
}
