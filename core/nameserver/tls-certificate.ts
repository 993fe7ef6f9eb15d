/**
 * The certificate of DNS over TLS: two PEM files, read at start and reloaded on SIGHUP or when they
 * change.
 *
 * Renewal tools replace the files, or links to them, one after the other. Therefore a task
 * compares the state of the files, and a pair that does not match yet is retried at the next
 * change.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import type { Tasks } from '../base/tasks.ts';
import type { TicketKeys } from '../site/tls/ticket-keys.ts';

/** Paths. Both are required if there is an address to listen on. */
export interface CertificateFiles {
  /** The certificate, followed by the intermediate certificates. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

interface Paths {
  readonly certificate: string;
  readonly key: string;
}

export interface TlsMaterial {
  /** PEM text. */
  readonly certificate: string;
  readonly key: string;
  /**
   * Keys that seal session tickets. They outlive certificates and threads, so that clients can
   * resume.
   */
  readonly tickets: TicketKeys;
}

interface WatchedCertificate {
  /** The material to use now. */
  readonly current: TlsMaterial;
  /** Called with each new certificate and with new ticket keys. */
  onChange: (material: TlsMaterial) => void;
  setTickets(keys: TicketKeys): void;
  /** Reads other files from now on. */
  setFiles(files: CertificateFiles): void;
  close(): void;
}

const CHECK_INTERVAL_MS = 5000;

/** Throws ConfigError `tls_certificate` if there is no usable certificate. */
export function readTlsFiles({ certificate, key }: CertificateFiles) {
  if (certificate === undefined || key === undefined)
    throw new ConfigError('tls_certificate', 'dns.tls_listen needs dns.tls_certificate and dns.tls_key.');
  const files: Paths = { certificate, key };
  try {
    return { ...load(files), files };
  } catch (error) {
    throw new ConfigError(
      'tls_certificate',
      `DNS over TLS cannot use dns.tls_certificate and dns.tls_key: ${(error as Error).message}.`,
    );
  }
}

/**
 * Throws ConfigError if there is no usable certificate at start. A later unusable certificate is
 * logged, and the previous one stays in use.
 */
export function watchCertificate(
  { certificate, key }: CertificateFiles,
  tickets: TicketKeys,
  tasks: Tasks,
  log: Logger,
): WatchedCertificate {
  const { files: opened, ...loaded } = readTlsFiles({ certificate, key });
  let files = opened;
  let state = stateOf(files);
  let current: TlsMaterial = { ...loaded, tickets };
  const reload = (): void => {
    const previousState = state;
    state = stateOf(files);
    try {
      const next = load(files);
      if (next.certificate === current.certificate && next.key === current.key) return;
      current = { ...next, tickets: current.tickets };
    } catch (error) {
      if (previousState !== state)
        log.warn('the new certificate for DNS over TLS is unusable; keeping the previous certificate', {
          reason: (error as Error).message,
        });
      return;
    }
    log.info('certificate for DNS over TLS reloaded', { expires: new X509Certificate(current.certificate).validTo });
    watched.onChange(current);
  };
  const reloadIfChanged = (): void => {
    if (stateOf(files) !== state) reload();
  };
  const watched = {
    get current() {
      return current;
    },
    onChange: (_: TlsMaterial): void => {},
    setTickets(keys: TicketKeys): void {
      current = { ...current, tickets: keys };
      watched.onChange(current);
    },
    setFiles(next: CertificateFiles): void {
      const { certificate: chain, key: secret } = next;
      if (chain === undefined || secret === undefined) return;
      files = { certificate: chain, key: secret };
      reload();
    },
    close(): void {
      void task.stop();
      process.off('SIGHUP', reload);
    },
  };
  const task = tasks.add({
    name: 'dns-certificate',
    owner: 'node',
    due: CHECK_INTERVAL_MS,
    log,
    run: reloadIfChanged,
  });
  task.start();
  process.on('SIGHUP', reload);
  return watched;
}

/**
 * Throws an Error if a file cannot be read or the files do not match. The error never contains the
 * key.
 */
function load(files: Paths): { certificate: string; key: string } {
  const certificate = readFileSync(files.certificate, 'utf8');
  const key = readFileSync(files.key, 'utf8');
  createSecureContext({ cert: certificate, key });
  return { certificate, key };
}

function stateOf({ certificate, key }: Paths): string {
  return [certificate, key]
    .map((path) => {
      try {
        const { ino, mtimeNs, size } = statSync(path, { bigint: true });
        return `${ino} ${mtimeNs} ${size}`;
      } catch (error) {
        // The file is missing or unreadable (EACCES, ELOOP), perhaps because a renewal is in
        // progress. An exception must not leave the timer.
        return (error as NodeJS.ErrnoException).code;
      }
    })
    .join(', ');
}
