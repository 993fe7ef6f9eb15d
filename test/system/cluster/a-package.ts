/** A package, as a developer makes one by the command line. */
import * as assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '../../support/api-client.ts';
import { environment, runCommand } from '../../support/daemon.ts';

/** In a folder that is there. `script`: more of its app.js. */
export async function packageIn(folder: string, script = '', id = 'com.example.notes'): Promise<Buffer<ArrayBuffer>> {
  const [sources, file] = [join(folder, id), join(folder, `${id}.pkg`)];
  const run = async (...args: string[]): Promise<void> => {
    const { code, output } = await runCommand(['pkg', ...args], environment({}));
    assert.equal(code, 0, output);
  };
  await run('init', sources, '--id', id);
  appendFileSync(join(sources, 'app', 'app.js'), script);
  await run('pack', sources, '--out', file);
  return readFileSync(file) as Buffer<ArrayBuffer>;
}

/** Resolves with the upload, as the answer has it. */
export async function upload(url: string, { token }: ApiClient, content: Buffer<ArrayBuffer>) {
  const body = new FormData();
  body.set('package', new Blob([content]), 'app.pkg');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/dev/apps/upload`, { method: 'POST', headers, body });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return (JSON.parse(text) as { upload: { id: string; sha256: string; status: string } }).upload;
}

/** Null: this node cannot give it just now. */
export async function download(url: string, { token }: ApiClient, id: string): Promise<Buffer | null> {
  const response = await fetch(`${url}/api/dev/admin/uploads/${id}/package`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const content = Buffer.from(await response.arrayBuffer());
  return response.status === 200 ? content : null;
}
