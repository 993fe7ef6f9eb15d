/**
 * What the edge reads of a domain when a client comes: one row without JSON, PEM and base64, that
 * follows from the rows of the domain's proxy and certificates. What stands between a certificate
 * and its authority is the same for many: the row has its hash, and who does not know that reads
 * the certificate's own row.
 *
 *   flags (1) · when the proxy was turned off (6, 0: never) · the customer's certificate, if there
 *   is one · the ordered one, likewise
 *
 * A certificate: bytes of all that follows (4) · notAfter (6) · hash of the chain (16) · bytes of
 * the names (4, UNKNOWN: not written down) · of the leaf (4) · names, a comma between two · leaf,
 * DER · sealed key.
 */
import { createHash } from 'node:crypto';
import type { AutomaticCertificate, Certificate, ProxyConfig } from './rows.ts';

export interface SiteRow {
  readonly isEnabled: boolean;
  /** Seconds since 1970; null: it never was, or is on. */
  readonly disabledAt: number | null;
  readonly own: SiteCertificateRow | null;
  readonly automatic: SiteCertificateRow | null;
}

export interface SiteCertificateRow {
  /** All of it: the same bytes are the same certificate with the same sealed key. */
  readonly bytes: Buffer;
  /** Seconds since 1970. */
  readonly notAfter: number;
  /** Null: they have to be read from the certificate. */
  readonly names: readonly string[] | null;
  /** Of the text behind the leaf (see splitChain). */
  readonly chainId: string;
  /** DER; empty: the text does not begin with a plain certificate, and is all behind it. */
  readonly leaf: Buffer;
  readonly sealedKey: Buffer;
}

const ENABLED = 1;
const OWN = 2;
const AUTOMATIC = 4;
const HEAD = 7;
/** Of a certificate. */
const CERTIFICATE_HEAD = 34;
const HASH = 16;
const UNKNOWN = 0xffff_ffff;

/** Undefined: there is nothing to serve, nor was. */
export function encodeSite(
  proxy: ProxyConfig | undefined,
  own: Certificate | undefined,
  automatic: AutomaticCertificate | undefined,
): Buffer | undefined {
  if (proxy === undefined) return undefined;
  const head = Buffer.alloc(HEAD);
  head[0] = (proxy.enabled ? ENABLED : 0) | (own ? OWN : 0) | (automatic ? AUTOMATIC : 0);
  head.writeUIntBE(proxy.disabledAt ?? 0, 1, 6);
  return Buffer.concat([
    head,
    ...[own, automatic].flatMap((certificate) => (certificate === undefined ? [] : encodeCertificate(certificate))),
  ]);
}

function encodeCertificate({ chain, sealedKey, names, notAfter }: Certificate): Buffer[] {
  const { leaf, rest } = splitChain(chain);
  const listed = Buffer.from(names?.join() ?? '');
  const key = Buffer.from(sealedKey, 'base64');
  const head = Buffer.alloc(CERTIFICATE_HEAD);
  head.writeUInt32BE(CERTIFICATE_HEAD - 4 + listed.length + leaf.length + key.length, 0);
  head.writeUIntBE(notAfter, 4, 6);
  head.write(chainIdOf(rest), 10, 'latin1');
  head.writeUInt32BE(names === undefined ? UNKNOWN : listed.length, 26);
  head.writeUInt32BE(leaf.length, 30);
  return [head, listed, leaf, key];
}

/** Of a row's own memory: what it returns is in there. */
export function decodeSite(row: Buffer): SiteRow {
  const [flags] = row;
  const disabledAt = row.readUIntBE(1, 6);
  const own = (flags & OWN) === 0 ? null : decodeCertificate(row, HEAD);
  const automatic = (flags & AUTOMATIC) === 0 ? null : decodeCertificate(row, HEAD + (own?.bytes.length ?? 0));
  return { isEnabled: (flags & ENABLED) !== 0, disabledAt: disabledAt === 0 ? null : disabledAt, own, automatic };
}

function decodeCertificate(row: Buffer, at: number): SiteCertificateRow {
  const end = at + 4 + row.readUInt32BE(at);
  const listed = row.readUInt32BE(at + 26);
  const names = at + CERTIFICATE_HEAD;
  const leaf = names + (listed === UNKNOWN ? 0 : listed);
  const key = leaf + row.readUInt32BE(at + 30);
  return {
    bytes: row.subarray(at, end),
    notAfter: row.readUIntBE(at + 4, 6),
    names: listed === UNKNOWN ? null : listed === 0 ? [] : row.toString('latin1', names, leaf).split(','),
    chainId: row.toString('latin1', at + 10, at + 10 + HASH),
    leaf: row.subarray(leaf, key),
    sealedKey: row.subarray(key, end),
  };
}

const LEAF = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*/;

/**
 * The first certificate of a PEM text as DER, and the text behind it. One that is not written as it
 * should be is left in the text.
 */
export function splitChain(pem: string): { readonly leaf: Buffer; readonly rest: string } {
  const found = LEAF.exec(pem);
  const base64 = found?.[1].replace(/\s+/g, '');
  const leaf = Buffer.from(base64 ?? '', 'base64');
  if (found === null || leaf.toString('base64') !== base64) return { leaf: Buffer.alloc(0), rest: pem };
  return { leaf, rest: pem.slice(found[0].length).trim() };
}

/** Of the text behind a leaf. */
export const chainIdOf = (rest: string): string =>
  createHash('sha256').update(rest).digest().toString('latin1', 0, HASH);
