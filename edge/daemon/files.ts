/** Certificate files of the operator. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../core/base/errors.ts';
import type { Config } from '../../core/config/index.ts';
import { requiresStapling } from '../../core/site/tls/must-staple.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';

/**
 * Reads the certificate of the admin API's host names from files. Null: no files are configured.
 * Throws ConfigError `hostname_certificate`, which never contains key material.
 */
export function readAdminCertificate(admin: Config['admin']): TlsCertificate | null {
  const { hostnameCertificate: certificate, hostnameKey: key, hostname } = admin;
  const fail = failureOf('hostname_certificate', 'admin.hostname_certificate and admin.hostname_key');
  const read = readCertificateFiles(certificate, key, fail);
  return read !== null && hostname.length === 0 ? fail('admin.hostname is not set') : read;
}

/**
 * Reads the certificate for clients without a server name. Null: no files are configured. Throws
 * ConfigError `default_certificate`, which never contains key material.
 */
export function readDefaultCertificate(edge: Config['edge']): TlsCertificate | null {
  const { defaultCertificate: certificate, defaultKey: key, defaultServerName } = edge;
  const fail = failureOf('default_certificate', 'edge.default_certificate and edge.default_key');
  const read = readCertificateFiles(certificate, key, fail);
  return read !== null && defaultServerName !== undefined
    ? fail('edge.default_server_name is set, too; remove one of them')
    : read;
}

type Fail = (why: string) => never;

const failureOf =
  (code: string, settings: string): Fail =>
  (why) => {
    throw new ConfigError(code, `The edge cannot use ${settings}: ${why}.`);
  };

function readCertificateFiles(
  certificate: string | undefined,
  keyFile: string | undefined,
  fail: Fail,
): TlsCertificate | null {
  if (certificate === undefined && keyFile === undefined) return null;
  if (certificate === undefined || keyFile === undefined) return fail('only one of them is set; set both or neither');
  try {
    const cert = readFileSync(certificate, 'utf8');
    const key = readFileSync(keyFile, 'utf8');
    createSecureContext({ cert, key });
    if (requiresStapling(new X509Certificate(cert).raw))
      throw new Error(
        'the certificate requires OCSP stapling (must-staple), which the edge does not support; have it reissued without that',
      );
    return { cert, key };
  } catch (error) {
    return fail((error as Error).message);
  }
}
