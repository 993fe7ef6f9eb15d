/**
 * Sets up a cluster. The first node creates the certificate authority, and its data becomes the
 * data of the cluster. Each other node joins with an invitation, a file with everything that it
 * needs. A node stores its files in the folder `cluster` of its data folder.
 */
import { randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { dirname } from 'node:path';
import { ConfigError, StateError } from '../base/errors.ts';
import { createPrivateFile, readPrivateFile, replacePrivateFile } from '../base/private-file.ts';
import { openSecrets } from '../base/secrets.ts';
import { type Config, clusterEnvironment, secretKeyFile } from '../config/index.ts';
import { formatListen } from '../config/listen.ts';
import { readHead } from '../journal/applied-head.ts';
import { EtcdLog } from '../journal/etcd/shared-log.ts';
import { EtcdUnavailable } from '../journal/etcd-client/errors.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { openEnvironment } from '../store/environment.ts';
import { makeFolder } from '../store/folder.ts';
import { lockDirectory } from '../store/lock.ts';
import { createAuthority, type Pair, readAuthority, signNode } from './authority.ts';
import { type ClusterFiles, clusterFiles, etcdSettings } from './files.ts';
import { inviteKey, rememberMember, requireUsable } from './invitations.ts';
import { type InvitationTerms, readKnownNodes, readMembers } from './members.ts';
import { keyPrintOf } from './peer-tls.ts';
import { revoke } from './revocation-list.ts';
import { addressOf, planVoter, type VoterStep, voterOf } from './voter.ts';

type ClusterConfig = Pick<Config, 'etcd' | 'peer' | 'nodeName' | 'dataDir' | 'secrets' | 'store'>;

interface InitResult {
  readonly files: ClusterFiles;
  /** False: the operator must start this node's etcd first, and then run the command again. */
  readonly isBegun: boolean;
  readonly voter: VoterStep;
  /** Number of entries in the store of this node. */
  readonly entries: number;
  /** The log existed already and was not changed. */
  readonly isOld: boolean;
}

/**
 * `hosts`: names and addresses by which other nodes reach this node, with at least one IP address.
 * Empty: they reach it by its name. Throws ConfigError, StateError, EtcdUnavailable and
 * EtcdRefused. May be run again.
 */
export async function initCluster(config: ClusterConfig, hosts: readonly string[] = []): Promise<InitResult> {
  const { endpoints, prefix } = config.etcd;
  if (endpoints.length === 0) throw noEndpoints();
  // Checks the settings before any file is created.
  const environment = environmentOf(config, hosts, clusterEnvironment(config.dataDir));
  voterOf(endpoints, config.nodeName, hosts);
  const lock = lockDirectory(config.dataDir);
  try {
    const files = clusterFiles(config);
    makeFolder(files.folder);
    if (!isValidFor(files, [config.nodeName, ...hosts])) {
      if (!existsSync(files.authority) || !existsSync(files.ca)) {
        const authority = await createAuthority();
        rmSync(files.authority, { force: true });
        install(files, files.ca, authority.certificate);
        createPrivateFile(files.authority, authority.key);
      }
      await writeOwn(files, await signNode(readAuthority(config), config.nodeName, hosts));
    }
    await revoke(files, []);
    openSecrets(secretKeyFile(config));
    install(files, files.environment, environment);
    const head = headOf(config);
    const voter = await voterHere(config, files, hosts, true);
    const result = { files, voter, entries: head.sequence };
    if (voter.kind === 'begin') return { ...result, isBegun: false, isOld: false };
    const gateway = new EtcdGateway(etcdSettings(config));
    try {
      const log = new EtcdLog(gateway, prefix);
      const isNew = await log.initialize(head);
      if (!isNew && !(await log.contains(head)))
        throw new StateError(
          'other_cluster',
          `The log in etcd below ${prefix} belongs to another cluster, or does not contain the data of this node. Use another etcd.prefix, or delete its keys: etcdctl del --prefix ${prefix}`,
        );
      await admitKnown(config, gateway, files, isNew);
      return { ...result, isBegun: true, isOld: !isNew };
    } finally {
      await gateway.close();
    }
  } finally {
    lock.release();
  }
}

/** Everything that a node needs to join. Contains secrets. */
interface Invitation {
  readonly version: 1;
  readonly name: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  readonly secrets: string;
  /** Additional names and addresses of the node. */
  readonly hosts?: readonly string[];
  /** Unix time in seconds; omitted: it was written by a version whose invitations do not expire. */
  readonly expires?: number;
  readonly etcd: { readonly endpoints: readonly string[]; readonly prefix: string };
}

/** A host name, or an IPv4 or IPv6 address. */
export const HOST = /^[\w.:-]{1,253}$/;

/** Seconds for which an invitation may be used. */
export const INVITATION_LIFETIME = 86_400;

/**
 * Returns the text of an invitation for a node, which works once. `hosts`: additional names and
 * addresses of the node. `lifetime`: in seconds. Rejects with ConfigError, EtcdUnavailable and
 * EtcdRefused.
 */
export async function invite(
  config: ClusterConfig,
  name: string,
  hosts: readonly string[],
  lifetime = INVITATION_LIFETIME,
): Promise<string> {
  const { endpoints, prefix } = config.etcd;
  if (endpoints.length === 0) throw noEndpoints();
  if (hosts.length > 0) addressOf(hosts);
  const { certificate, key } = await signNode(readAuthority(config), name, hosts);
  const expires = Math.ceil(Date.now() / 1000) + lifetime;
  await inviteCertificate(config, name, certificate, { expires, hosts });
  const invitation: Invitation = {
    version: 1,
    name,
    ca: readFileSync(clusterFiles(config).ca, 'utf8'),
    certificate,
    key,
    hosts,
    expires,
    secrets: readPrivateFile(secretKeyFile(config)) ?? '',
    etcd: { endpoints, prefix },
  };
  return `${JSON.stringify(invitation, null, 2)}\n`;
}

/**
 * Allows a node with this certificate (PEM) to become the member of that name. Rejects with
 * ConfigError `bad_certificate`, StateError `removed`, EtcdUnavailable and EtcdRefused.
 */
export async function inviteCertificate(
  config: ClusterConfig,
  name: string,
  pem: string,
  terms: InvitationTerms,
): Promise<void> {
  const hasName = ((): boolean => {
    try {
      return new X509Certificate(pem).checkHost(name) !== undefined;
    } catch (error) {
      throw new ConfigError(
        'bad_certificate',
        `The certificate of ${name} is unreadable: ${(error as Error).message}.`,
      );
    }
  })();
  if (!hasName)
    throw new ConfigError(
      'bad_certificate',
      `The certificate is not for ${name}: nodes connect to each other by name. Use one with the DNS name ${name}.`,
    );
  const gateway = new EtcdGateway(etcdSettings(config));
  const files = clusterFiles(config);
  try {
    await inviteKey(gateway, config.etcd.prefix, name, pem, terms);
  } catch (error) {
    // No daemon has run here yet: "cluster init" stores the invitation once etcd is reachable.
    if (!(error instanceof EtcdUnavailable) || existsSync(files.knownNodes)) throw error;
    replacePrivateFile(files.invited, JSON.stringify([...readEarly(files), { ...terms, name, certificate: pem }]));
  } finally {
    await gateway.close();
  }
}

/** Reads the invitations that are not in etcd yet. */
function readEarly({ invited }: ClusterFiles): EarlyInvitation[] {
  const text = readPrivateFile(invited);
  return text === undefined ? [] : (JSON.parse(text) as EarlyInvitation[]);
}

interface EarlyInvitation extends InvitationTerms {
  readonly name: string;
  /** PEM. */
  readonly certificate: string;
}

/**
 * Invites this node. If it starts a new log, such as after etcd has lost its data, also invites all
 * nodes that it knew.
 */
async function admitKnown(
  config: ClusterConfig,
  gateway: EtcdGateway,
  files: ClusterFiles,
  isNew: boolean,
): Promise<void> {
  const { nodeName, etcd } = config;
  const own = readFileSync(files.certificate, 'utf8');
  const { nodes } = await readMembers(gateway, etcd.prefix);
  const isMember = nodes.get(nodeName)?.key === keyPrintOf(own);
  // Only the node with the authority may invite members.
  if (!isMember && (isNew || existsSync(files.authority))) await inviteKey(gateway, etcd.prefix, nodeName, own);
  for (const { name, certificate, ...terms } of readEarly(files))
    await inviteKey(gateway, etcd.prefix, name, certificate, terms);
  rmSync(files.invited, { force: true });
  if (!isNew) return;
  for (const node of readKnownNodes(files.knownNodes).values()) {
    if (node.name === nodeName) continue;
    if (node.certificate !== undefined) await inviteKey(gateway, etcd.prefix, node.name, node.certificate);
    else await rememberMember(gateway, etcd.prefix, node);
  }
}

interface JoinResult {
  readonly name: string;
  readonly files: ClusterFiles;
  /** This node has already joined with this invitation. */
  readonly isOld: boolean;
  readonly voter: VoterStep;
}

/**
 * Joins a cluster with an invitation. May be run again. Throws ConfigError `bad_invitation`,
 * StateError `has_data`, `has_joined`, `invitation_expired`, `invitation_used`, and EtcdRefused.
 */
export async function joinCluster(config: ClusterConfig, text: string): Promise<JoinResult> {
  const invitation = readInvitation(text);
  const { name, hosts = [] } = invitation;
  const joined = { ...config, nodeName: name, etcd: { ...config.etcd, ...invitation.etcd } };
  const files = clusterFiles(config);
  const environment = environmentOf(joined, hosts);
  const isOld = existsSync(files.key);
  if (isOld && readFileSync(files.certificate, 'utf8') !== invitation.certificate)
    throw new StateError('has_joined', `${files.folder} already contains the certificate of a node; remove it first.`);
  if (!isOld) await requireUsable(joined.etcd, invitation);
  // After the first run the daemon may hold the lock.
  if (!isOld) {
    const lock = lockDirectory(config.dataDir);
    try {
      const { sequence } = headOf(config);
      if (sequence > 0)
        throw new StateError(
          'has_data',
          `${config.dataDir} contains ${sequence} changes that the data of the cluster would replace. Move the folder away, or use another with WAYPOST_DATA_DIR.`,
        );
      makeFolder(files.folder);
      const secrets = secretKeyFile(config);
      createPrivateFile(secrets, invitation.secrets);
      if (readPrivateFile(secrets) !== invitation.secrets)
        throw new StateError('has_key', `${secrets} differs from the key of the cluster; move it away.`);
      install(files, files.ca, invitation.ca);
      install(files, files.environment, environment);
      replacePrivateFile(files.joined, randomBytes(16).toString('hex'));
      await writeOwn(files, invitation);
    } finally {
      lock.release();
    }
  }
  return { name, files, isOld, voter: await voterHere(joined, files, hosts, false) };
}

const noEndpoints = (): ConfigError =>
  new ConfigError(
    'no_endpoints',
    'etcd.endpoints is empty. Set the client URLs of the current or future etcd members with --etcd or WAYPOST_ETCD_ENDPOINTS, separated by commas.',
  );

/**
 * The environment variables with which a node of the cluster starts. Without hosts it keeps the
 * listen address of `before`. Throws ConfigError `no_address`.
 */
function environmentOf(
  { nodeName, etcd, peer }: ClusterConfig,
  hosts: readonly string[],
  before: NodeJS.ProcessEnv = {},
): string {
  const variables: NodeJS.ProcessEnv = {
    ...before,
    WAYPOST_NODE_NAME: nodeName,
    WAYPOST_ETCD_ENDPOINTS: etcd.endpoints.join(','),
    WAYPOST_ETCD_PREFIX: etcd.prefix,
  };
  if (hosts.length > 0) {
    const address = addressOf(hosts);
    const family = isIPv6(address) ? 6 : 4;
    variables.WAYPOST_PEER_LISTEN = formatListen({ address, family, port: peer.listen.port });
  }
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Plans the next step for a member of etcd on this node, and writes its environment file. */
async function voterHere(
  config: ClusterConfig,
  files: ClusterFiles,
  hosts: readonly string[],
  isFirst: boolean,
): Promise<VoterStep> {
  const { step, environment } = await planVoter(config, config.nodeName, hosts, isFirst);
  if (environment !== null) install(files, files.etcdEnvironment, environment);
  return step;
}

/**
 * Whether the node has a certificate that is valid for `hosts`. A certificate outside the folder is
 * managed by the operator and counts as valid.
 */
function isValidFor({ folder, certificate, key }: ClusterFiles, hosts: readonly string[]): boolean {
  if (!existsSync(key)) return false;
  if (dirname(key) !== folder) return true;
  const own = new X509Certificate(readFileSync(certificate));
  return hosts.every((host) => (isIP(host) > 0 ? own.checkIP(host) : own.checkHost(host)) !== undefined);
}

async function writeOwn(files: ClusterFiles, { certificate, key }: Pair): Promise<void> {
  // A member of etcd refuses every client without a revocation list.
  await revoke(files, []);
  if (dirname(files.key) === files.folder) rmSync(files.key, { force: true });
  install(files, files.certificate, certificate);
  // The key is written last: if it exists, all other files do.
  createPrivateFile(files.key, key);
}

/**
 * Replaces a file in the folder of the cluster. A file elsewhere belongs to the operator and must
 * have the same contents. Throws StateError `has_other`.
 */
function install({ folder }: ClusterFiles, file: string, text: string): void {
  if (dirname(file) === folder) {
    replacePrivateFile(file, text);
    return;
  }
  createPrivateFile(file, text);
  if (readFileSync(file, 'utf8') !== text)
    throw new StateError('has_other', `${file} differs from the file of the cluster; move it away.`);
}

function readInvitation(text: string): Invitation {
  const bad = (why: string): ConfigError =>
    new ConfigError(
      'bad_invitation',
      `The invitation is invalid: ${why}. Create one on the first node: waypost cluster invite NAME`,
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
  if (!Array.isArray(found.hosts ?? []) || !(found.hosts ?? []).every((host) => HOST.test(host)))
    throw bad('its hosts are invalid');
  if (typeof (found.expires ?? 0) !== 'number') throw bad('its expiry is invalid');
  if (!/^[\w.-]+$/.test(found.name as string)) throw bad('its node name is invalid');
  const { endpoints, prefix } = found.etcd ?? {};
  const isList =
    Array.isArray(endpoints) &&
    endpoints.length > 0 &&
    endpoints.every((endpoint) => /^https?:\/\/\S+$/.test(String(endpoint)));
  if (!isList || typeof prefix !== 'string' || /\s/.test(prefix))
    throw bad('it lacks the endpoints or the prefix of etcd');
  return found as Invitation;
}

function headOf({ dataDir, store }: ClusterConfig) {
  const environment = openEnvironment(dataDir, store.mapSize);
  try {
    return readHead(environment);
  } finally {
    void environment.close();
  }
}
