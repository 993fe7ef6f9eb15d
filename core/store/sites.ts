/**
 * The row that the edge reads for a connection to a domain. It has no JSON, PEM or base64, and is
 * derived from the rows of the domain's proxy and certificates. Many certificates share their
 * intermediate certificates, so the row has only a hash of these. An edge that has not cached this
 * hash reads the row of the certificate.
 *
 *   flags (1) · time when the proxy was disabled (6, 0: none) · the customer's certificate, if
 *   flagged · its RSA certificate, if flagged · the automatic certificates, if flagged
 *
 * A certificate: bytes of the rest (4) · notAfter (6) · hash of the chain (16) · bytes of the names
 * (4, UNKNOWN: not stored) · bytes of the leaf (4) · names, separated by commas · leaf, DER ·
 * sealed key.
 */
import { createHash } from 'node:crypto';
import type { Certificate, ProxyConfig } from './rows.ts';

export interface SiteRow {
  readonly isEnabled: boolean;
  /** Seconds since 1970; null: the proxy is enabled or never was. */
  readonly disabledAt: number | null;
  /** The customer's certificate, and perhaps an RSA certificate beside it. */
  readonly own: readonly SiteCertificateRow[];
  /** In the order of their slots; then those beside them. */
  readonly automatic: readonly SiteCertificateRow[];
}

export interface SiteCertificateRow {
  /** The whole encoded certificate. Equal bytes mean the same certificate and sealed key. */
  readonly bytes: Buffer;
  /** Seconds since 1970. */
  readonly notAfter: number;
  /** Null: not stored; parse them from the certificate. */
  readonly names: readonly string[] | null;
  /** Hash of the text after the leaf (see splitChain). */
  readonly chainId: string;
  /**
   * DER; empty: the text does not start with a plain certificate, so all of it counts as the rest.
   */
  readonly leaf: Buffer;
  readonly sealedKey: Buffer;
}

const ENABLED = 1;
const OWN = 2;
const AUTOMATIC = 4;
const OWN_RSA = 8;
const HEAD = 7;
/** Header bytes of a certificate. */
const CERTIFICATE_HEAD = 34;
const HASH = 16;
const UNKNOWN = 0xffff_ffff;

/** Undefined: the domain never had a proxy. */
export function encodeSite(
  proxy: ProxyConfig | undefined,
  own: readonly Certificate[],
  automatic: readonly Certificate[],
): Buffer | undefined {
  if (proxy === undefined) return undefined;
  const head = Buffer.alloc(HEAD);
  head[0] =
    (proxy.enabled ? ENABLED : 0) |
    (own.length > 0 ? OWN : 0) |
    (own.length > 1 ? OWN_RSA : 0) |
    (automatic.length > 0 ? AUTOMATIC : 0);
  head.writeUIntBE(proxy.disabledAt ?? 0, 1, 6);
  return Buffer.concat([head, ...own.flatMap(encodeCertificate), ...automatic.flatMap(encodeCertificate)]);
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

/** Decodes a row. The returned buffers share its memory. */
export function decodeSite(row: Buffer): SiteRow {
  const [flags] = row;
  const disabledAt = row.readUIntBE(1, 6);
  const ownCount = ((flags & OWN) === 0 ? 0 : 1) + ((flags & OWN_RSA) === 0 ? 0 : 1);
  const own: SiteCertificateRow[] = [];
  const automatic: SiteCertificateRow[] = [];
  for (let at = HEAD; at < row.length; ) {
    const certificate = decodeCertificate(row, at);
    (own.length < ownCount ? own : automatic).push(certificate);
    at += certificate.bytes.length;
  }
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
 * Splits a PEM text into the first certificate as DER, and the text after it. A certificate that is
 * not valid PEM stays in the text.
 */
export function splitChain(pem: string): { readonly leaf: Buffer; readonly rest: string } {
  const found = LEAF.exec(pem);
  const base64 = found?.[1].replace(/\s+/g, '');
  const leaf = Buffer.from(base64 ?? '', 'base64');
  if (found === null || leaf.toString('base64') !== base64) return { leaf: Buffer.alloc(0), rest: pem };
  return { leaf, rest: pem.slice(found[0].length).trim() };
}

/** Hash of the text after a leaf. */
export const chainIdOf = (rest: string): string =>
  createHash('sha256').update(rest).digest().toString('latin1', 0, HASH);
