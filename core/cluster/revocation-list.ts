/**
 * Revocation list of the certificates of removed keys (RFC 5280 section 5), for members of etcd.
 * etcd reads the file at every handshake (--client-crl-file, --peer-crl-file), compares serial
 * numbers, and refuses every client if the file is missing. Open connections continue.
 *
 * The list is signed with a temporary key, not by the authority, whose key is only on the first
 * node: etcd checks neither issuer nor signature. It is in DER, since etcd 3.6 reads no PEM here.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileSync } from '../base/write-file.ts';
import { ALGORITHM, loadX509, newKeys } from './authority.ts';
import type { ClusterFiles } from './files.ts';

/** Where systemd/waypost-etcd.service mounts the folder of the list. */
const UNIT_FOLDER = '/run/waypost-revoked';
const LIST = 'list.crl';
/** File with the serial numbers of the list, one per line. */
const SERIALS = 'serials';
const ENVIRONMENT = 'etcd.environment';
/** Validity: lists are replaced on changes and must never expire. */
const YEARS_MS = 20 * 365 * 86_400_000;

type Files = Pick<ClusterFiles, 'revoked'>;

export const revocationList = ({ revoked }: Files): string => join(revoked, LIST);

/**
 * Adds serial numbers (hexadecimal) to the list, and creates the list on the first call. Revoked
 * serial numbers are never removed. Returns whether the file has changed.
 */
export async function revoke(files: Files, serials: readonly string[]): Promise<boolean> {
  const before = readSerials(files);
  const all = [...new Set([...before, ...serials])].sort();
  if (all.length === before.length && existsSync(revocationList(files))) return false;
  // Readable by other users, such as the user of etcd: it contains no secrets.
  mkdirSync(files.revoked, { recursive: true, mode: 0o755 });
  chmodSync(files.revoked, 0o755);
  replace(files, LIST, await encodeList(all));
  replace(files, SERIALS, `${all.join('\n')}\n`);
  const path = join(UNIT_FOLDER, LIST);
  // Written last: when the unit reads it, the list exists.
  replace(files, ENVIRONMENT, `ETCD_CLIENT_CRL_FILE=${path}\nETCD_PEER_CRL_FILE=${path}\n`);
  return true;
}

function readSerials({ revoked }: Files): string[] {
  const file = join(revoked, SERIALS);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^[0-9a-f]+$/.test(line));
}

async function encodeList(serials: readonly string[]): Promise<Uint8Array> {
  const x509 = await loadX509();
  const { privateKey } = await newKeys();
  const now = new Date();
  const list = await x509.X509CrlGenerator.create({
    issuer: 'CN=Waypost removed nodes',
    thisUpdate: now,
    nextUpdate: new Date(now.getTime() + YEARS_MS),
    signingAlgorithm: ALGORITHM,
    signingKey: privateKey,
    entries: serials.map((serial) => ({ serialNumber: integerOf(serial), revocationDate: now })),
  });
  return new Uint8Array(list.rawData);
}

/**
 * The shortest encoding of a positive INTEGER (X.690 section 8.3.2), in hexadecimal: etcd refuses
 * every client if the list has a longer one.
 */
export function integerOf(serial: string): string {
  const digits = serial.replace(/^0+/, '') || '0';
  const bytes = digits.length % 2 === 1 ? `0${digits}` : digits;
  return Number.parseInt(bytes.slice(0, 2), 16) >= 0x80 ? `00${bytes}` : bytes;
}

/** Replaces a file atomically. */
function replace({ revoked }: Files, name: string, content: string | Uint8Array): void {
  const draft = join(revoked, `${name}.${randomBytes(4).toString('hex')}`);
  try {
    writeFileSync(draft, content, { mode: 0o644 });
    chmodSync(draft, 0o644);
    renameSync(draft, join(revoked, name));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
