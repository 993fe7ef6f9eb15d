/** Which transport the API gets. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { selectTransport } from '../../../admin-api/http/select.ts';
import { NODE } from '../../../config/build/release/node.ts';
import { createLogger } from '../../../core/base/log/index.ts';
import { UWS_ABIS } from '../transports.ts';

const hasBinary = UWS_ABIS.includes(process.versions.modules);

test('a release has a Node that loads uWebSockets.js', () => {
  assert.ok(UWS_ABIS.includes(NODE.abi));
});

test('auto takes uWebSockets.js where it has a binary, else node:http with a line in the log', async () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => void lines.push(line) });
  const { name } = await selectTransport('auto', { log });
  assert.is(name, hasBinary ? 'uws' : 'node');
  if (hasBinary) assert.equal(lines, []);
  else {
    assert.is(lines.length, 1);
    const { level, message, reason } = JSON.parse(lines[0]);
    assert.equal([level, message], ['warn', 'the API is served by node:http, which is slower']);
    assert.match(reason, `has no binary for Node ${process.versions.node} on ${process.platform} ${process.arch}`);
  }
  assert.is((await selectTransport('node', { log })).name, 'node');
});

test('uws is refused where it does not load', async () => {
  const outcome = await selectTransport('uws').then(
    ({ name }) => name,
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );
  if (hasBinary) assert.is(outcome, 'uws');
  else
    assert.match(
      outcome,
      /^no_uws: admin\.transport is "uws", but uWebSockets\.js has no binary for Node .* Use Node 22/,
    );
});

test.run();
