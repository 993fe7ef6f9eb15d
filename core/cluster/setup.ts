/**
 * Making a cluster: the first node makes the authority of its certificates, and its data becomes that of all; each other node gets an invitation, a file with all that it needs. What a
 * node has of it lies in the folder `cluster` of its data.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/index.ts';
import { ConfigError, StateError } from '../errors.ts';
import { EtcdGateway } from '../etcd/gateway.ts';
import { EtcdLog } from '../journal/etcd/log.ts';
import { readHead } from '../journal/head.ts';
import { createPrivateFile, readPrivateFile } from '../private-file.ts';
import { openSecrets } from '../secrets.ts';
import { openEnvironment } from '../store/environment.ts';
import { lockDirectory } from '../store/lock.ts';
import { createAuthority, type Pair, signNode } from './authority.ts';
import { type ClusterFiles, clusterFiles, etcdSettings } from './files.ts';

type ClusterConfig = Pick<Config, 'etcd' | 'peer' | 'nodeName' | 'dataDir' | 'secrets' | 'store'>;

export interface Begun {
  readonly folder: string;
  /** Entries that this node brings with it. */
  readonly entries: number;
  /** The log was there already: all stays as it was. */
  readonly isOld: boolean;
}

/** Throws ConfigError, StateError, EtcdUnavailable and EtcdRefused. May be run again. */
export async function initCluster(config: ClusterConfig): Promise<Begun> {
  const { endpoints, prefix } = config.etcd;
  if (endpoints.length === 0)
    throw new ConfigError(
      'no_endpoints',
      'etcd.endpoints is empty: set it (WAYPOST_ETCD_ENDPOINTS) to the client URLs of etcd first.',
    );
  const lock = lockDirectory(config.dataDir);
  try {
    const files = clusterFiles(config);
    mkdirSync(files.folder, { recursive: true, mode: 0o700 });
    if (!existsSync(files.key)) {
      if (!existsSync(files.authority) || !existsSync(files.ca)) {
        const authority = await createAuthority();
        rmSync(files.authority, { force: true });
        place(files, files.ca, authority.certificate);
        createPrivateFile(files.authority, authority.key);
      }
      writeOwn(files, await signNode(readAuthority(config), config.nodeName));
    }
    openSecrets(secretFile(config));
    const head = headOf(config);
    const gateway = new EtcdGateway(etcdSettings(config));
    try {
      const log = new EtcdLog(gateway, prefix);
      const isNew = await log.begin(head);
      if (!isNew && !(await log.holds(head)))
        throw new StateError(
          'other_cluster',
          `etcd holds the log of another cluster below ${prefix}, or one that goes on without this node's data. Choose another etcd.prefix, or empty that one: etcdctl del --prefix ${prefix}`,
        );
      return { folder: files.folder, entries: head.sequence, isOld: !isNew };
    } finally {
      await gateway.close();
    }
  } finally {
    lock.release();
  }
}

/** All that a node needs to join. Holds secrets. */
interface Invitation {
  readonly version: 1;
  readonly name: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  readonly secrets: string;
  readonly etcd: { readonly endpoints: readonly string[]; readonly prefix: string };
}

/** The text of an invitation for a node of that name; `hosts` are further names and addresses at which it will be reached. Throws ConfigError. */
export async function invite(config: ClusterConfig, name: string, hosts: readonly string[]): Promise<string> {
  const { certificate, key } = await signNode(readAuthority(config), name, hosts);
  const { endpoints, prefix } = config.etcd;
  const invitation: Invitation = {
    version: 1,
    name,
    ca: readFileSync(clusterFiles(config).ca, 'utf8'),
    certificate,
    key,
    secrets: readPrivateFile(secretFile(config)) ?? '',
    etcd: { endpoints, prefix },
  };
  return `${JSON.stringify(invitation, null, 2)}\n`;
}

export interface Joined {
  readonly name: string;
  readonly folder: string;
  /** WAYPOST_* variables that the node is to be started with. */
  readonly environment: string;
}

/** Takes an invitation. Throws ConfigError `bad_invitation`, StateError `has_data`. */
export function joinCluster(config: ClusterConfig, text: string): Joined {
  const invitation = readInvitation(text);
  const lock = lockDirectory(config.dataDir);
  try {
    const { sequence } = headOf(config);
    if (sequence > 0)
      throw new StateError(
        'has_data',
        `${config.dataDir} holds ${sequence} changes of its own, which the cluster's would replace. Move the folder away, or choose another with WAYPOST_DATA_DIR.`,
      );
    const files = clusterFiles(config);
    if (existsSync(files.key))
      throw new StateError('has_joined', `${files.folder} holds the certificate of a node already; remove it first.`);
    mkdirSync(files.folder, { recursive: true, mode: 0o700 });
    const secrets = secretFile(config);
    createPrivateFile(secrets, invitation.secrets);
    if (readPrivateFile(secrets) !== invitation.secrets)
      throw new StateError('has_key', `${secrets} holds another key than the cluster's; move it away.`);
    place(files, files.ca, invitation.ca);
    const { endpoints, prefix } = invitation.etcd;
    const environment = [
      `WAYPOST_NODE_NAME=${invitation.name}`,
      `WAYPOST_ETCD_ENDPOINTS=${endpoints.join(',')}`,
      `WAYPOST_ETCD_PREFIX=${prefix}`,
      '',
    ].join('\n');
    place(files, files.environment, environment);
    writeOwn(files, invitation);
    return { name: invitation.name, folder: files.folder, environment: files.environment };
  } finally {
    lock.release();
  }
}

function writeOwn(files: ClusterFiles, { certificate, key }: Pair): void {
  place(files, files.certificate, certificate);
  // Last: who has it has all.
  createPrivateFile(files.key, key);
}

/** Before the key of the node is there. What lies in the folder until then, an attempt before has left; what lies elsewhere is the operator's. Throws StateError `has_other`. */
function place({ folder }: ClusterFiles, file: string, text: string): void {
  if (dirname(file) === folder) rmSync(file, { force: true });
  createPrivateFile(file, text);
  if (readFileSync(file, 'utf8') !== text)
    throw new StateError('has_other', `${file} holds something else than the cluster's; move it away.`);
}

function readInvitation(text: string): Invitation {
  const bad = (why: string): ConfigError =>
    new ConfigError(
      'bad_invitation',
      `This is no invitation: ${why}. Make one on the first node: waypost cluster invite NAME`,
    );
  let found: Partial<Invitation>;
  try {
    found = JSON.parse(text) as Partial<Invitation>;
  } catch (error) {
    throw bad((error as Error).message);
  }
  if (found?.version !== 1) throw bad('its version is not 1');
  for (const key of ['name', 'ca', 'certificate', 'key', 'secrets'] as const)
    if (typeof found[key] !== 'string' || found[key] === '') throw bad(`it lacks "${key}"`);
  if (!/^[\w.-]+$/.test(found.name as string)) throw bad('its name is none of a node');
  const { endpoints, prefix } = found.etcd ?? {};
  const isList =
    Array.isArray(endpoints) && endpoints.length > 0 && endpoints.every((one) => /^https?:\/\/\S+$/.test(String(one)));
  if (!isList || typeof prefix !== 'string' || /\s/.test(prefix)) throw bad('it does not say where etcd is');
  return found as Invitation;
}

function readAuthority(config: ClusterConfig): Pair {
  const { authority, ca } = clusterFiles(config);
  const key = readPrivateFile(authority);
  if (key === undefined)
    throw new ConfigError(
      'no_authority',
      `${authority} is not there: it is on the node where "waypost cluster init" was run.`,
    );
  return { certificate: readFileSync(ca, 'utf8'), key };
}

const secretFile = ({ secrets, dataDir }: ClusterConfig): string => secrets.keyFile ?? join(dataDir, 'secret.key');

function headOf({ dataDir, store }: ClusterConfig) {
  const environment = openEnvironment(dataDir, store.mapSize);
  try {
    return readHead(environment);
  } finally {
    void environment.close();
  }
}
