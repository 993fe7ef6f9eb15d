/**
 * DNSSEC by the letter of the RFCs, slowly and on strings: canonical form, key tags, NSEC3 hashes,
 * nonces, and a validator of signatures. It shares no code with core/dns/dnssec.
 */
import { createHash, createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { TYPE } from '../../../../core/dns/wire/types.ts';

/** Bytes as a string of characters up to 0xff: strings compare as RFC 4034 6.3 wants. */
export const chars = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const integer = (value: number, bytes: number): string => {
  let text = '';
  for (let left = value; text.length < bytes; left = Math.floor(left / 256))
    text = String.fromCharCode(left % 256) + text;
  return text;
};
const integerAt = (text: string, at: number, bytes: number): number =>
  [...text.slice(at, at + bytes)].reduce((sum, c) => sum * 256 + c.charCodeAt(0), 0);

/** The labels of an uncompressed name, without the root, and the length of the name. */
function labelsAt(text: string, start = 0): { readonly labels: string[]; readonly length: number } {
  const labels: string[] = [];
  let p = start;
  while (text.charCodeAt(p) !== 0) {
    labels.push(text.slice(p + 1, p + 1 + text.charCodeAt(p)));
    p += 1 + text.charCodeAt(p);
  }
  return { labels, length: p + 1 - start };
}

const wireOf = (labels: readonly string[]): string =>
  `${labels.map((label) => String.fromCharCode(label.length) + label).join('')}\0`;

const lower = (text: string): string => text.replace(/[A-Z]/g, (c) => c.toLowerCase());

/** The types of RFC 4034 6.2 but NSEC (RFC 6840 5.1): bytes, `s` a character string, `n` a name. */
const NAMES: Readonly<Record<number, string>> = {
  [TYPE.NS]: 'n',
  [TYPE.MD]: 'n',
  [TYPE.MF]: 'n',
  [TYPE.CNAME]: 'n',
  [TYPE.SOA]: 'n n',
  [TYPE.MB]: 'n',
  [TYPE.MG]: 'n',
  [TYPE.MR]: 'n',
  [TYPE.PTR]: 'n',
  [TYPE.MINFO]: 'n n',
  [TYPE.MX]: '2 n',
  [TYPE.RP]: 'n n',
  [TYPE.AFSDB]: '2 n',
  [TYPE.RT]: '2 n',
  [TYPE.SIG]: '18 n',
  [TYPE.PX]: '2 n n',
  [TYPE.NXT]: 'n',
  [TYPE.NAPTR]: '4 s s s n',
  [TYPE.KX]: '2 n',
  [TYPE.SRV]: '6 n',
  [TYPE.DNAME]: 'n',
  [TYPE.RRSIG]: '18 n',
};

function canonicalContent(type: number, rdata: string): string {
  if (type === TYPE.A6) {
    const prefix = rdata.charCodeAt(0);
    const address = rdata.slice(0, 1 + Math.ceil((128 - prefix) / 8));
    return address + lower(rdata.slice(address.length));
  }
  let out = '';
  for (const part of (NAMES[type] ?? '').split(' ').filter((piece) => piece !== '')) {
    const at = out.length;
    if (part === 'n') out += wireOf(labelsAt(rdata, at).labels.map(lower));
    else if (part === 's') out += rdata.slice(at, at + 1 + rdata.charCodeAt(at));
    else out += rdata.slice(at, at + Number(part));
  }
  return out + rdata.slice(out.length);
}

export interface PlainRRset {
  readonly owner: Uint8Array;
  readonly type: number;
  readonly ttl: number;
  readonly rdatas: readonly Uint8Array[];
}

/** RR(1) | RR(2)… of RFC 4034 3.1.8.1. */
export function canonicalForm({ owner, type, ttl, rdatas }: PlainRRset): string {
  const name = wireOf(labelsAt(chars(owner)).labels.map(lower));
  const contents = [...new Set(rdatas.map((rdata) => canonicalContent(type, chars(rdata))))].sort();
  return contents
    .map((content) => name + integer(type, 2) + integer(1, 2) + integer(ttl, 4) + integer(content.length, 2) + content)
    .join('');
}

/** RFC 4034 appendix B: the sum of the words of 16 bits, with its carries added once. */
export function tagOf(dnskey: Uint8Array): number {
  const text = `${chars(dnskey)}${dnskey.length % 2 ? '\0' : ''}`;
  let sum = 0;
  for (let at = 0; at < text.length; at += 2) sum += integerAt(text, at, 2);
  return (sum + Math.floor(sum / 0x10000)) % 0x10000;
}

/** RFC 5155 section 5. */
export function nsec3Hash(name: Uint8Array, iterations = 0, salt: Uint8Array = new Uint8Array(0)): Buffer {
  let hash: Uint8Array = bytesOf(wireOf(labelsAt(chars(name)).labels.map(lower)));
  for (let i = 0; i <= iterations; i++) hash = createHash('sha1').update(hash).update(salt).digest();
  return Buffer.from(hash);
}

/** The candidates of RFC 6979 3.2, step by step, for an order of 256 bits. */
export function* nonceCandidates(privateKey: Uint8Array, digest: Uint8Array): Generator<Buffer, never> {
  const hmac = (key: Uint8Array, ...parts: Uint8Array[]) =>
    createHmac('sha256', key).update(Buffer.concat(parts)).digest();
  let v: Buffer = Buffer.alloc(32, 1);
  let k: Buffer = Buffer.alloc(32, 0);
  k = hmac(k, v, Buffer.of(0), privateKey, digest);
  v = hmac(k, v);
  k = hmac(k, v, Buffer.of(1), privateKey, digest);
  v = hmac(k, v);
  for (;;) {
    v = hmac(k, v);
    yield v;
    k = hmac(k, v, Buffer.of(0));
    v = hmac(k, v);
  }
}

const base64url = (text: string): string => bytesOf(text).toString('base64url');

/** The public key of DNSKEY rdata, of RSA or algorithm 13 or 15 (RFC 3110, RFC 6605, RFC 8080). */
export function publicKeyObject(dnskey: Uint8Array): KeyObject {
  const key = chars(dnskey.subarray(4));
  switch (dnskey[3]) {
    case 5:
    case 8:
    case 10: {
      // RFC 3110 section 2, with an exponent of less than 256 bytes.
      const modulus = 1 + key.charCodeAt(0);
      const jwk = { kty: 'RSA', e: base64url(key.slice(1, modulus)), n: base64url(key.slice(modulus)) };
      return createPublicKey({ key: jwk, format: 'jwk' });
    }
    case 13: {
      const jwk = { kty: 'EC', crv: 'P-256', x: base64url(key.slice(0, 32)), y: base64url(key.slice(32)) };
      return createPublicKey({ key: jwk, format: 'jwk' });
    }
    case 15:
      return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: base64url(key) }, format: 'jwk' });
    default:
      throw new Error(`algorithm ${dnskey[3]}`);
  }
}

/** RFC 4035 5.3.1 and 5.3.2, less the times: whether the RRSIG is the key's for the RRset. */
export function isSigned(rrset: PlainRRset, rrsig: Uint8Array, dnskey: Uint8Array): boolean {
  const text = chars(rrsig);
  const signerLength = labelsAt(text, 18).length;
  const header = canonicalContent(TYPE.RRSIG, text.slice(0, 18 + signerLength));
  const { labels } = labelsAt(chars(rrset.owner));
  const signedLabels = text.charCodeAt(3);
  if (integerAt(text, 0, 2) !== rrset.type || text.charCodeAt(2) !== dnskey[3]) return false;
  if (integerAt(text, 16, 2) !== tagOf(dnskey) || signedLabels > labels.length) return false;
  const owner =
    signedLabels < labels.length ? wireOf(['*', ...labels.slice(labels.length - signedLabels)]) : chars(rrset.owner);
  const form = canonicalForm({ ...rrset, owner: bytesOf(owner), ttl: integerAt(text, 4, 4) });
  const key = publicKeyObject(dnskey);
  const signature = bytesOf(text.slice(18 + signerLength));
  const hash = { 5: 'sha1', 8: 'sha256', 10: 'sha512', 13: 'sha256' }[dnskey[3]] ?? null;
  return verify(hash, bytesOf(header + form), { key, dsaEncoding: 'ieee-p1363' }, signature);
}
