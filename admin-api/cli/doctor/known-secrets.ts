/** Every secret that this process can read: no support bundle may contain one. */
import { readFileSync } from 'node:fs';
import { clusterFiles } from '../../../core/cluster/files.ts';
import { secretKeyFile } from '../../../core/config/index.ts';
import type { Context } from './context.ts';
import type { KnownSecret } from './redaction.ts';

const SECRET_VARIABLE = /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY/i;
/** Maximum bytes of a secret file. */
const MAX_FILE = 1 << 20;
/** Settings that name secret files: keys of TLS, of the cluster, of a bucket. */
const FILE_SETTING =
  /(^|[._])(key|key_file|secret_file|token_file|credentials_file|headers_file|hostname_key|tls_key|s3_credentials)$/;
/** Settings that name secret files with header fields. */
const HEADERS_SETTING = /(^|[._])headers_file$/;

export function knownSecrets(context: Context): KnownSecret[] {
  const { env, token, url = '' } = context.options;
  const secrets: KnownSecret[] = [];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') secrets.push({ name, value });
  };
  add('the API token', token);
  for (const part of urlSecrets(url)) add('the URL of the daemon', part);
  for (const [name, value] of Object.entries(env)) if (SECRET_VARIABLE.test(name) && !isPath(value)) add(name, value);
  const files = new Map<string, string>();
  for (const { key, setting, value } of context.settings) {
    if (setting.secret) for (const text of textsOf(value)) add(key, text);
    else if (typeof value === 'string' && FILE_SETTING.test(key)) files.set(value, key);
    for (const text of [value].flat())
      if (typeof text === 'string') for (const part of urlSecrets(text)) add(key, part);
  }
  if (context.fault === null) {
    const { key, authority } = clusterFiles(context.config);
    for (const path of [secretKeyFile(context.config), key, authority]) files.set(path, path);
  }
  for (const [path, name] of files)
    for (const value of secretsOfFile(path, HEADERS_SETTING.test(name))) add(name, value);
  return secrets;
}

/** Returns all strings in a value, including nested lists and tables. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const isPath = (value: string | undefined): boolean => value === undefined || /^[./~%]/.test(value);

/** Returns the user, the password and the parameter values of a URL. */
function urlSecrets(text: string): string[] {
  const url = /:\/\//.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null) return [];
  return [url.username, url.password, ...url.searchParams.values()].map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

/**
 * Returns the secrets in a file. In PEM, each line of the key is a secret. In header fields, each
 * value is a secret, with and without its scheme (`Bearer`).
 */
function secretsOfFile(path: string, hasHeaders: boolean): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').slice(0, MAX_FILE);
  } catch {
    // The bundle cannot contain a file that this process cannot read.
    return [];
  }
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  if (hasHeaders)
    return lines.flatMap((line) => {
      const value = line.slice(line.indexOf(':') + 1).trim();
      return value === '' || line.startsWith('#') ? [] : [value, value.slice(value.lastIndexOf(' ') + 1)];
    });
  const values = lines.filter((line) => line !== '' && !/^-----|^[A-Za-z-]+: /.test(line));
  // Other encodings of the same 32 bytes.
  const keys = values.filter((line) => /^[0-9a-f]{64}$/i.test(line) || /^[\w+/-]{43}=?$/.test(line));
  const other = keys.flatMap((line) => {
    const bytes = Buffer.from(line, /^[0-9a-f]{64}$/i.test(line) ? 'hex' : 'base64');
    return [bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
  });
  return [...new Set([...values, ...other])];
}
