/**
 * Requests for the status of a certificate, and the checks of responses (RFC 6960, with the profile
 * of RFC 5019). Loaded when the first status is requested.
 */
import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto';
import {
  BasicOCSPResponse,
  CertID,
  id_pkix_ocsp_basic,
  OCSPRequest,
  OCSPResponse,
  OCSPResponseStatus,
  Request,
  type SingleResponse,
  TBSRequest,
} from '@peculiar/asn1-ocsp';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AuthorityInfoAccessSyntax,
  Certificate,
  id_ad_ocsp,
  id_pe_authorityInfoAccess,
} from '@peculiar/asn1-x509';

/** A certificate whose status can be requested. */
export interface StatusTarget {
  readonly leaf: X509Certificate;
  readonly issuer: X509Certificate;
  /** With the scheme http. */
  readonly responder: URL;
  readonly id: CertID;
}

/** A response that may be sent to clients. */
export interface CheckedStatus {
  readonly response: Uint8Array;
  /** Milliseconds since 1970: half of the response's lifetime, and its end. */
  readonly refreshAt: number;
  readonly expiresAt: number;
}

export class RevokedError extends Error {
  override readonly name = 'RevokedError';
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const MAX_CHAIN = 10;
/** The hash of certificate IDs that every responder supports (RFC 5019 section 2.1.1). */
const SHA1 = '1.3.14.3.2.26';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
/** Milliseconds that the clock of a responder may be ahead of ours. */
const CLOCK_SKEW_MS = 300_000;
/** Hashes of signature algorithms; null: the algorithm has its own. */
const HASHES: ReadonlyMap<string, string | null> = new Map([
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['1.3.101.112', null],
]);

/** `chain`: PEM, the certificate first. Throws an Error that states what is missing. */
export function readTarget(chain: string): StatusTarget {
  const blocks = chain.match(BLOCK)?.slice(0, MAX_CHAIN) ?? [];
  const [leaf, ...others] = blocks.map((block) => new X509Certificate(block));
  if (leaf === undefined) throw new Error('the certificate is not PEM');
  const issuer = others.find((other) => leaf.checkIssued(other) && leaf.verify(other.publicKey));
  if (issuer === undefined) throw new Error('the chain does not contain the issuer');
  const { tbsCertificate } = AsnConvert.parse(leaf.raw, Certificate);
  const { subject, subjectPublicKeyInfo } = AsnConvert.parse(issuer.raw, Certificate).tbsCertificate;
  const id = new CertID({
    hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA1, parameters: null }),
    issuerNameHash: sha1(AsnConvert.serialize(subject)),
    issuerKeyHash: sha1(subjectPublicKeyInfo.subjectPublicKey),
    serialNumber: tbsCertificate.serialNumber,
  });
  const access = tbsCertificate.extensions?.find(({ extnID }) => extnID === id_pe_authorityInfoAccess);
  const locations = access === undefined ? [] : AsnConvert.parse(access.extnValue, AuthorityInfoAccessSyntax);
  const responder = [...locations]
    .filter(({ accessMethod }) => accessMethod === id_ad_ocsp)
    .map(({ accessLocation }) => accessLocation.uniformResourceIdentifier ?? '')
    .find((text) => URL.canParse(text) && new URL(text).protocol === 'http:');
  if (responder === undefined) throw new Error('the certificate names no responder with a URL of http');
  return { leaf, issuer, responder: new URL(responder), id };
}

/** In DER form. Without a nonce, responders can answer from a cache (RFC 5019 section 4). */
export function statusRequest({ id }: StatusTarget): Uint8Array {
  const tbsRequest = new TBSRequest({ requestList: [new Request({ reqCert: id })] });
  return new Uint8Array(AsnConvert.serialize(new OCSPRequest({ tbsRequest })));
}

/** `now`: milliseconds since 1970. Throws an Error if the response must not be sent. */
export function checkStatus(response: Uint8Array, target: StatusTarget, now: number): CheckedStatus {
  const { responseStatus, responseBytes } = parse(response, OCSPResponse);
  if (responseStatus !== OCSPResponseStatus.successful || responseBytes === undefined)
    throw new Error(`the responder reports ${OCSPResponseStatus[responseStatus] ?? responseStatus}`);
  if (responseBytes.responseType !== id_pkix_ocsp_basic) throw new Error('the type of the response is unknown');
  const basic = parse(new Uint8Array(responseBytes.response.buffer), BasicOCSPResponse);
  checkSignature(basic, target, now);
  const single = basic.tbsResponseData.responses.find(({ certID }) => isSameId(certID, target.id));
  if (single === undefined) throw new Error('the response is for another certificate');
  return checkSingle(single, response, now);
}

function checkSingle({ certStatus, thisUpdate, nextUpdate }: SingleResponse, response: Uint8Array, now: number) {
  if (certStatus.revoked !== undefined) throw new RevokedError('the certificate is revoked');
  if (certStatus.good === undefined) throw new Error('the responder does not know the certificate');
  // RFC 5019 section 2.2.4 requires the end; without it a client cannot judge a staple.
  if (nextUpdate === undefined) throw new Error('the response has no end (nextUpdate)');
  const from = thisUpdate.getTime();
  const expiresAt = nextUpdate.getTime();
  if (from > now + CLOCK_SKEW_MS) throw new Error(`the response is valid from ${thisUpdate.toISOString()} on`);
  if (expiresAt <= now) throw new Error(`the response has expired at ${nextUpdate.toISOString()}`);
  return { response, refreshAt: from + (expiresAt - from) / 2, expiresAt };
}

/** Section 4.2.2.2: by the issuer, or by a certificate that the issuer has issued for this. */
function checkSignature(basic: BasicOCSPResponse, { issuer }: StatusTarget, now: number): void {
  const hash = HASHES.get(basic.signatureAlgorithm.algorithm);
  if (hash === undefined) throw new Error('the signature algorithm of the response is not supported');
  const signed = Buffer.from(basic.tbsResponseDataRaw ?? AsnConvert.serialize(basic.tbsResponseData));
  const signature = Buffer.from(basic.signature);
  const delegates = (basic.certs ?? [])
    .slice(0, MAX_CHAIN)
    .map((certificate) => new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))))
    .filter((certificate) => isDelegate(certificate, issuer, now));
  const isSignedBy = (key: KeyObject): boolean => verify(hash, signed, key, signature);
  if (![issuer, ...delegates].some(({ publicKey }) => isSignedBy(publicKey)))
    throw new Error('the response is not signed by the issuer');
}

function isDelegate(certificate: X509Certificate, issuer: X509Certificate, now: number): boolean {
  return (
    certificate.keyUsage?.includes(OCSP_SIGNING) === true &&
    Date.parse(certificate.validFrom) <= now + CLOCK_SKEW_MS &&
    Date.parse(certificate.validTo) > now &&
    certificate.checkIssued(issuer) &&
    certificate.verify(issuer.publicKey)
  );
}

function isSameId(left: CertID, right: CertID): boolean {
  return (
    left.hashAlgorithm.algorithm === right.hashAlgorithm.algorithm &&
    isEqual(left.issuerNameHash.buffer, right.issuerNameHash.buffer) &&
    isEqual(left.issuerKeyHash.buffer, right.issuerKeyHash.buffer) &&
    isEqual(left.serialNumber, right.serialNumber)
  );
}

const isEqual = (left: ArrayBuffer, right: ArrayBuffer): boolean => Buffer.from(left).equals(Buffer.from(right));

const sha1 = (bytes: ArrayBuffer): OctetString =>
  new OctetString(createHash('sha1').update(Buffer.from(bytes)).digest());

/**
 * Rejects everything but DER. The parser accepts more, but clients do not, and abort the handshake.
 * The part outside of the signature can be changed in transit. So the bytes must equal our own
 * encoding.
 */
function parse<T>(bytes: Uint8Array, type: new () => T): T {
  try {
    const value = AsnConvert.parse(bytes, type);
    if (Buffer.from(AsnConvert.serialize(value)).equals(bytes)) return value;
  } catch {
    // It is not even BER.
  }
  throw new Error('the response is malformed');
}
