/**
 * The examples of servers, metadata, keys and search against a real PowerDNS: it responds with the
 * same status and the same fields as they expect of this service, or differs as they say.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EXAMPLES, ZONE } from '../../admin-api/zones/powerdns/server-examples.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { type PowerDnsServer, startPowerDnsServer } from './powerdns-server.ts';

interface Context {
  server: PowerDnsServer;
  key: string;
}

const test = suite<Context>('PowerDNS examples');

test.before(async (context) => {
  context.server = await startPowerDnsServer();
  const created = await send(context, 'POST', '/localhost/zones', { name: ZONE, kind: 'Native', nameservers: [] });
  assert.is(created.status, 201, created.text);
});
test.after(({ server }) => server?.close());

async function send(
  { server }: Context,
  method: string,
  path: string,
  json?: unknown,
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}/api/v1/servers${path}`, {
    method,
    headers: { accept: 'application/json', 'x-api-key': server.key },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  return { status: response.status, text: await response.text() };
}

for (const { name, method, path, json, status, fields, body, real } of EXAMPLES)
  test(`example: ${name}`, async (context) => {
    const answer = await send(context, method, path.replace('{key}', context.key), json);
    assert.is(answer.status, real?.status ?? status, `${answer.text} ${real?.why ?? ''}`);
    const isAlike = real?.status === undefined;
    if (body !== undefined && isAlike) assert.equal(JSON.parse(answer.text), body);
    if (fields !== undefined && isAlike) {
      const value = JSON.parse(answer.text) as Record<string, unknown> | Record<string, unknown>[];
      const expected = [...fields.filter((field) => !real?.less?.includes(field)), ...(real?.more ?? [])].sort();
      assert.equal(Object.keys(Array.isArray(value) ? value[0] : value).sort(), expected);
    }
    if (method === 'POST' && path.endsWith('/cryptokeys') && answer.status === 201)
      context.key = String((JSON.parse(answer.text) as { id: number }).id);
  });

const why = whyNotPrograms('pdns_server', 'sqlite3');
if (why === null) test.run();
else console.log(`skipped: PowerDNS examples, ${why}`);
