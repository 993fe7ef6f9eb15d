/** Files of the operator: the country database, and certificates. */

import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/log/index.ts';
import type { Task, Tasks } from '../../core/base/tasks.ts';
import type { Config } from '../../core/config/index.ts';
import { requiresStapling } from '../../core/site/tls/must-staple.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';
import { Countries } from '../policy/rules/countries.ts';

/** Milliseconds between two checks of the file. */
const CHECK_INTERVAL_MS = 60_000;
/** Databases with cities and several languages have about 60 MB. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Loads the country database at startup, and again after each change of the file. */
export class CountryFile {
  /** The content, in memory that all threads share. Null: no file, or never readable. */
  content: SharedArrayBuffer | null = null;
  readonly #log: Logger;
  readonly #task: Task | undefined;
  /** Size and modification time of the last file that was read. */
  #version = '';
  /** The last logged failure, so it is not logged at each check. Empty: none. */
  #failure = '';

  /** `onChange`: called with each new content after the first. */
  constructor(
    private readonly path: string | undefined,
    { tasks, log }: { readonly tasks: Tasks; readonly log: Logger },
    private readonly onChange: (content: SharedArrayBuffer) => void,
  ) {
    this.#log = log;
    if (path === undefined) return;
    this.#read();
    this.#task = tasks.add({
      name: 'country-file',
      owner: 'node',
      due: CHECK_INTERVAL_MS,
      log,
      run: () => this.look(),
    });
    this.#task.start();
  }

  /** Reads the file again if it has changed. */
  look(): void {
    if (this.path !== undefined && this.#read()) this.onChange(this.content!);
  }

  close(): void {
    void this.#task?.stop();
  }

  /** Returns whether it read new content. Keeps the previous content if the file is unusable. */
  #read(): boolean {
    const path = this.path!;
    try {
      const { size, mtimeMs } = statSync(path);
      const version = `${size} ${mtimeMs}`;
      if (version === this.#version) return false;
      this.#version = version;
      if (size > MAX_BYTES) throw new Error(`${size} bytes are more than ${MAX_BYTES}`);
      const bytes = readFileSync(path);
      const content = new SharedArrayBuffer(bytes.length);
      Buffer.from(content).set(bytes);
      new Countries().load(content);
      this.content = content;
      this.#failure = '';
      this.#log.info('country file read', { file: path, bytes: bytes.length });
      return true;
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== this.#failure)
        this.#log.warn('cannot use the country file; keeping the previous one', { file: path, reason });
      this.#failure = reason;
      return false;
    }
  }
}

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
