/**
 * The certificate of DNS over TLS: two PEM files, read at start and again when they have changed or on SIGHUP. Who renews certificates replaces files or the links to
 * them, one after the other; so their state is looked at now and then, and a pair that does not fit yet is tried again at the next look.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import type { TicketKeys } from '../tls/ticket-keys.ts';

/** Paths; a certificate is needed once there is something to listen on. */
export interface CertificateFiles {
  /** The certificate, and behind it those between it and the root. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

interface Paths {
  readonly certificate: string;
  readonly key: string;
}

export interface TlsMaterial {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** What session tickets are sealed by. Outlive certificates and threads, so that clients resume. */
  readonly tickets: TicketKeys;
}

export interface WatchedCertificate {
  /** What is to be used now. */
  readonly current: TlsMaterial;
  /** Is told of each new one, and of new ticket keys. */
  onChange: (material: TlsMaterial) => void;
  setTickets(keys: TicketKeys): void;
  close(): void;
}

const LOOK_MS = 5000;

/** Throws ConfigError when there is no usable certificate at start. Later ones that are not usable are logged, and the last stays. */
export function watchCertificate(
  { certificate, key }: CertificateFiles,
  tickets: TicketKeys,
  log: Logger,
): WatchedCertificate {
  if (certificate === undefined || key === undefined)
    throw new ConfigError('tls_certificate', 'dns.tls_listen needs dns.tls_certificate and dns.tls_key.');
  const files: Paths = { certificate, key };
  let state = stateOf(files);
  let current: TlsMaterial;
  try {
    current = { ...load(files), tickets };
  } catch (error) {
    throw new ConfigError(
      'tls_certificate',
      `DNS over TLS cannot use dns.tls_certificate and dns.tls_key: ${(error as Error).message}.`,
    );
  }
  const reload = (): void => {
    const before = state;
    state = stateOf(files);
    try {
      const next = load(files);
      if (next.certificate === current.certificate && next.key === current.key) return;
      current = { ...next, tickets: current.tickets };
    } catch (error) {
      if (before !== state)
        log.warn('the new certificate for DNS over TLS is unusable; keeping the previous certificate', {
          reason: (error as Error).message,
        });
      return;
    }
    log.info('certificate for DNS over TLS reloaded', { expires: new X509Certificate(current.certificate).validTo });
    watched.onChange(current);
  };
  const look = (): void => {
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
    close(): void {
      clearInterval(timer);
      process.off('SIGHUP', reload);
    },
  };
  const timer = setInterval(look, LOOK_MS).unref();
  process.on('SIGHUP', reload);
  return watched;
}

/** Throws an Error when a file cannot be read or they don't fit. It says nothing of what is in the key. */
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
        // Gone, or not to be looked at (EACCES, ELOOP): whoever renews it may be in the middle of that, and we are in a timer.
        return (error as NodeJS.ErrnoException).code;
      }
    })
    .join(', ');
}
