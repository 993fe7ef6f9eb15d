/**
 * Keeps audits pending: `node dist/bench/audit/uploads.js URL TOKEN SOURCES ASSETS`. Each of
 * AUDITS apps has a package with so many bytes of scripts and styles, and of what does not
 * compress; when one has its verdict, the next version of it is uploaded. At the end of its input
 * it prints one line of JSON (UploadsResult).
 */
import { crc32 } from 'node:zlib';
import { Pool } from 'undici';
import { AUDITS, benchApp, packageOf } from './sources.ts';

export interface UploadsResult {
  /** Packages that came to a verdict. */
  readonly verdicts: number;
  /** Bytes of a package. */
  readonly size: number;
}

interface Upload {
  readonly id: string;
  readonly status: string;
}

const [url, token, sources, assets] = process.argv.slice(2);
const BOUNDARY = 'waypost-benchmark';
const HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="package"; filename="bench.pkg"\r\n\r\n`,
);
const END = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
/** Milliseconds between two looks for a verdict that an upload's answer did not bring. */
const LOOK = 200;
/** Of as many digits as any that follows. */
const FIRST_VERSION = 100_000;

const pool = new Pool(url, { connections: AUDITS });
const authorization = `Bearer ${token}`;
const result = { verdicts: 0, size: 0 };

async function ask(method: 'GET' | 'POST', path: string, type?: string, body?: Buffer): Promise<Upload> {
  const headers = { authorization, ...(type !== undefined && { 'content-type': type }) };
  const answer = await pool.request({ method, path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 1000)}`);
  return (JSON.parse(text) as { upload: Upload }).upload;
}

/**
 * In place, since packing again would take the core that is measured. The manifest stands first,
 * stored.
 */
function setVersion(content: Buffer, version: number): void {
  const from = 30 + content.readUInt16LE(26) + content.readUInt16LE(28);
  const manifest = content.subarray(from, from + content.readUInt32LE(22));
  manifest.write(String(version), manifest.indexOf('"versionCode":') + 14);
  const sum = crc32(manifest);
  content.writeUInt32LE(sum, 14);
  content.writeUInt32LE(sum, content.readUInt32LE(content.length - 6) + 16);
}

async function keepUploading(app: number): Promise<void> {
  const content = await packageOf(benchApp(app), FIRST_VERSION, Number(sources), Number(assets));
  result.size = content.length;
  const body = Buffer.concat([HEAD, content, END]);
  for (let version = FIRST_VERSION; ; version++) {
    setVersion(body.subarray(HEAD.length, HEAD.length + content.length), version);
    let upload = await ask('POST', '/api/dev/apps/upload', `multipart/form-data; boundary=${BOUNDARY}`, body);
    while (upload.status === 'pending' || upload.status === 'scanning') {
      await new Promise((resolve) => setTimeout(resolve, LOOK));
      upload = await ask('GET', `/api/dev/uploads/${upload.id}`);
    }
    result.verdicts++;
  }
}

process.stdin.resume().on('end', () => {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
});
await Promise.all(Array.from({ length: AUDITS }, (_, app) => keepUploading(app)));
