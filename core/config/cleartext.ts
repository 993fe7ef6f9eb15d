/** Finds settings with which the daemon sends or serves secrets unencrypted to other machines. */
import type { Config } from './schema.ts';

export interface ClearText {
  /** Such as `etcd.endpoints`. */
  readonly key: string;
  readonly value: string;
  /** `grave`: an attacker on the network can change zones. */
  readonly severity: 'grave' | 'notable' | 'usual';
  /** The risk on the network, and the next step, as sentences. */
  readonly risk: string;
  readonly next: string;
}

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/i;

const isOpen = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
};

export function clearTextOf({ etcd, backup, traces, admin }: Config): ClearText[] {
  const found: ClearText[] = [];
  for (const value of etcd.endpoints.filter(isOpen))
    found.push({
      key: 'etcd.endpoints',
      value,
      severity: 'grave',
      risk: 'Others on the network can read and write every zone.',
      next: 'Use https:// with etcd.ca_file, etcd.certificate_file and etcd.key_file.',
    });
  if (backup.s3Endpoint !== undefined && isOpen(backup.s3Endpoint))
    found.push({
      key: 'backup.s3_endpoint',
      value: backup.s3Endpoint,
      severity: 'notable',
      risk: 'Others on the network can read backups that are not encrypted, and replace what is sent.',
      next: 'Use https://.',
    });
  if (traces.endpoint !== undefined && isOpen(traces.endpoint))
    found.push({
      key: 'traces.endpoint',
      value: traces.endpoint,
      severity: 'notable',
      risk: 'Others on the network can read which addresses request which hosts and paths.',
      next: 'Use https://, or a collector on this machine.',
    });
  if (!LOOPBACK.test(admin.listen.address))
    found.push({
      key: 'admin.listen',
      value: `${admin.listen.family === 6 ? `[${admin.listen.address}]` : admin.listen.address}:${admin.listen.port}`,
      severity: 'usual',
      risk: 'Passwords and tokens cross the network in the clear, unless a proxy adds TLS.',
      next: 'Use a loopback address, and admin.hostname for access over TLS.',
    });
  return found;
}
