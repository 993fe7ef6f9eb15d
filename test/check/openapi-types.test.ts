/** The types of the dashboard's client are those of the OpenAPI document. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startDaemon } from '../admin-api/daemon.ts';
import { generateTypes, TYPES_FILE } from '../admin-api/http/openapi/generate.ts';

test('the generated types match the document', async () => {
  const daemon = await startDaemon();
  try {
    const { body } = await daemon.call('GET', '/api/v1/openapi.json', { token: null });
    const now = await generateTypes(body);
    assert.ok(readFileSync(TYPES_FILE, 'utf8') === now, 'run "npm run openapi": a description has changed');
  } finally {
    await daemon.stop();
  }
});

test.run();
