/** A certificate for DNS over TLS, the same for all servers: made once, ECDSA with P-256. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Paths of PEM files in `work`. Needs openssl where they are not there yet. */
export function tlsFiles(work: string): TlsFiles {
  const files = { certificate: join(work, 'dot.crt'), key: join(work, 'dot.key') };
  if (!existsSync(files.certificate) || !existsSync(files.key))
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '3650'],
        ...['-subj', '/CN=localhost', '-keyout', files.key, '-out', files.certificate],
      ],
      { stdio: 'ignore' },
    );
  return files;
}
