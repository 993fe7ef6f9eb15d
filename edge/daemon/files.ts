/** Files of the operator: the country database, and the certificate of the admin host names. */

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
