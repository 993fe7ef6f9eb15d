/** Reads the certificate of the admin API's host names from files. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../core/base/errors.ts';
import type { Config } from '../../core/config/index.ts';
import { requiresStapling } from '../../core/site/tls/must-staple.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';

/**
 * Null: no files are configured. Throws ConfigError `hostname_certificate`, which never contains
 * key material.
 */
export function readAdminCertificate(admin: Config['admin']): TlsCertificate | null {
  const { hostnameCertificate, hostnameKey, hostname } = admin;
  if (hostnameCertificate === undefined && hostnameKey === undefined) return null;
  const fail = (why: string): never => {
    throw new ConfigError(
      'hostname_certificate',
      `The edge cannot use admin.hostname_certificate and admin.hostname_key: ${why}.`,
    );
  };
  if (hostnameCertificate === undefined || hostnameKey === undefined)
    return fail('only one of them is set; set both or neither');
  if (hostname.length === 0) return fail('admin.hostname is not set');
  try {
    const cert = readFileSync(hostnameCertificate, 'utf8');
    const key = readFileSync(hostnameKey, 'utf8');
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
