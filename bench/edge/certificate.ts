/** The certificate of all servers: ECDSA with P-256, made once, signed by itself. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DOMAIN } from './requests.ts';

/** Paths of PEM files in `work`. Needs openssl where they are not there yet. */
export function certificateFor(work: string): { certificate: string; key: string } {
  const files = { certificate: join(work, 'edge.crt'), key: join(work, 'edge.key') };
  if (!existsSync(files.certificate) || !existsSync(files.key))
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3650'],
        ...['-subj', `/CN=${DOMAIN}`, '-addext', `subjectAltName=DNS:${DOMAIN},DNS:*.${DOMAIN}`],
        ...['-addext', 'extendedKeyUsage=serverAuth', '-addext', 'basicConstraints=critical,CA:FALSE'],
        ...['-keyout', files.key, '-out', files.certificate],
      ],
      { stdio: 'ignore' },
    );
  return files;
}
