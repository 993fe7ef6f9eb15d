/** Certificates with an OCSP responder, and responses of any content. */
import { createHash, sign, X509Certificate } from 'node:crypto';
import {
  BasicOCSPResponse,
  type CertID,
  CertStatus,
  id_pkix_ocsp_basic,
  OCSPResponse,
  OCSPResponseStatus,
  ResponderID,
  ResponseBytes,
  ResponseData,
  RevokedInfo,
  SingleResponse,
} from '@peculiar/asn1-ocsp';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, Certificate } from '@peculiar/asn1-x509';
import { readTarget, type StatusTarget } from '../../../../edge/certificates/ocsp/status.ts';
import { certificate, ecKey, type Issuer, type KeyPair } from '../../../support/certificate.ts';

const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const ECDSA_SHA256 = '1.2.840.10045.4.3.2';
const DAY = 86_400_000;

export const issuer: Issuer = { name: 'authority', key: ecKey() };
export const issuerPem = certificate({ ...issuer, ca: true });
const key = ecKey();

export const chainWith = (responder?: string, name = 'site.test'): string =>
  `${certificate({ name, key, issuer, dnsNames: [name], responder })}${issuerPem}`;

export const target: StatusTarget = readTarget(chainWith('http://ocsp.test/path/'));

/** A certificate for signing responses. */
export function delegate(options: { by?: Issuer; usage?: string[]; from?: number; to?: number } = {}) {
  const { by = issuer, usage = [OCSP_SIGNING], from, to } = options;
  const own = ecKey();
  return { key: own, pem: certificate({ name: 'responder', key: own, issuer: by, usage, from, to }) };
}

export interface ResponseOptions {
  readonly id?: CertID;
  readonly status?: 'good' | 'revoked' | 'unknown';
  readonly from?: number;
  /** Null: no nextUpdate. */
  readonly to?: number | null;
  readonly signer?: KeyPair;
  readonly certificates?: readonly string[];
  readonly algorithm?: string;
  readonly outcome?: OCSPResponseStatus;
}

const STATUSES = {
  good: () => new CertStatus({ good: null }),
  revoked: () => new CertStatus({ revoked: new RevokedInfo({ revocationTime: new Date() }) }),
  unknown: () => new CertStatus({ unknown: null }),
};

/** Of `target`: good, signed by the issuer, from an hour ago for a day, or as the options say. */
export function response(options: ResponseOptions = {}): Uint8Array {
  const { id = target.id, status = 'good', from = Date.now() - 3_600_000, signer = issuer.key } = options;
  const { to = from + DAY, certificates = [], algorithm = ECDSA_SHA256, outcome } = options;
  if (outcome !== undefined) return new Uint8Array(AsnConvert.serialize(new OCSPResponse({ responseStatus: outcome })));
  const single = new SingleResponse({ certID: id, certStatus: STATUSES[status](), thisUpdate: new Date(from) });
  if (to !== null) single.nextUpdate = new Date(to);
  const keyHash = createHash('sha1')
    .update(signer.publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  const data = new ResponseData({
    responderID: new ResponderID({ byKey: new OctetString(keyHash) }),
    producedAt: new Date(from),
    responses: [single],
  });
  const basic = new BasicOCSPResponse({
    tbsResponseData: data,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm }),
    signature: bufferOf(sign('sha256', Buffer.from(AsnConvert.serialize(data)), signer.privateKey)),
  });
  if (certificates.length > 0)
    basic.certs = certificates.map((pem) => AsnConvert.parse(new X509Certificate(pem).raw, Certificate));
  const responseBytes = new ResponseBytes({
    responseType: id_pkix_ocsp_basic,
    response: new OctetString(AsnConvert.serialize(basic)),
  });
  const whole = new OCSPResponse({ responseStatus: OCSPResponseStatus.successful, responseBytes });
  return new Uint8Array(AsnConvert.serialize(whole));
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}
