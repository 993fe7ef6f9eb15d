/** Reads the zones of a PowerDNS server by its API. */
import { readFileSync } from 'node:fs';
import {
  type Finding,
  type JsonObject,
  objectOf,
  objectsOf,
  parsePowerDnsZone,
  type Source,
  textOf,
} from '../../zones/migration/index.ts';
import { CliError } from '../base/errors.ts';
import type { Output } from '../base/io.ts';
import { mapConcurrently } from '../base/map-concurrently.ts';
import { startProgress } from '../base/progress.ts';

const CONCURRENT = 8;
const SERVER = '/api/v1/servers/localhost';
const TIMEOUT_MS = 120_000;

interface PowerDnsOptions {
  readonly url: string;
  readonly keyFile?: string;
  /** Only these zones; undefined: all. */
  isWanted(zone: string): boolean;
}

/** Throws CliError `unreadable`, `powerdns` and `invalid_url`. */
export async function readPowerDns(output: Output, options: PowerDnsOptions): Promise<Source> {
  const { url, keyFile, isWanted } = options;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CliError('invalid_url', `"${url}" is not a valid URL.`, {
      next: 'Pass one such as http://127.0.0.1:8081.',
    });
  const base = new URL(url).pathname.length > 1 ? url.replace(/\/$/, '') : url.replace(/\/$/, '') + SERVER;
  const key = keyFile === undefined ? '' : readKey(keyFile);
  const listed = objectsOf(await get(`${base}/zones`, key)).filter((row) => isWanted(textOf(row.name) ?? ''));
  const progress = startProgress(output, listed.length, 'zones read');
  const read = await mapConcurrently(listed, CONCURRENT, async (entry) => {
    const id = textOf(entry.id) ?? textOf(entry.name) ?? '';
    const row = await getZone(`${base}/zones/${encodeURIComponent(id)}`, key);
    const isRead = !(row instanceof CliError);
    progress.add(1, isRead ? objectsOf(row.rrsets).length : 0);
    if (isRead) return parsePowerDnsZone(row, `${base}/zones/${id}`);
    return { zone: undefined, findings: [unread(textOf(entry.name)?.replace(/\.$/, ''), row)] };
  }).finally(() => progress.stop());
  return {
    kind: 'powerdns',
    zones: read.flatMap(({ zone }) => zone ?? []),
    keys: objectsOf(await get(`${base}/tsigkeys`, key)).map(({ name, algorithm }) => ({
      name: String(name).replace(/\.$/, ''),
      algorithm: String(algorithm),
    })),
    findings: read.flatMap(({ findings }) => findings),
  };
}

const unread = (zone: string | undefined, { message }: CliError): Finding => ({
  severity: 'error',
  code: 'unreadable_zone',
  zone,
  message,
});

/** The zone, or why the server does not give it. */
async function getZone(url: string, key: string): Promise<JsonObject | CliError> {
  try {
    return objectOf(await get(url, key)) ?? {};
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CliError('unreadable', `${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

async function get(url: string, key: string): Promise<JsonObject | readonly unknown[]> {
  const { request } = (await import('undici')).default;
  const failure = (reason: string, next: string): CliError => new CliError('powerdns', `${url}: ${reason}`, { next });
  let status: number;
  let text: string;
  try {
    const response = await request(url, {
      headers: { 'x-api-key': key, accept: 'application/json' },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    status = response.statusCode;
    text = await response.body.text();
  } catch (error) {
    throw failure(
      error instanceof Error ? error.message : String(error),
      'Check --powerdns, and that "webserver" and "api" are "yes".',
    );
  }
  if (status === 401)
    throw failure(
      'the server refuses the key.',
      'Put the value of "api-key" into a file, and pass it as --powerdns-key-file.',
    );
  if (status !== 200) throw failure(`the server returned status ${status}.`, 'Check --powerdns.');
  try {
    const body: unknown = JSON.parse(text);
    const object = objectOf(body);
    if (object !== undefined) return object;
    if (Array.isArray(body)) return body;
  } catch {
    // Reported below.
  }
  throw failure('the response is not from the API of PowerDNS.', 'Check --powerdns.');
}
