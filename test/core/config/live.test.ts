import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LiveConfig, resolveConfig } from '../../../core/config/index.ts';
import { temporaryFolder } from '../../support/temp.ts';

const test = suite('core/config/live');
const read = (env: NodeJS.ProcessEnv) => resolveConfig({ env });

test('a reload changes reloadable settings in place, and reports those that need a restart', async () => {
  const live = new LiveConfig(read({}));
  const { config } = live;
  const { log, edge } = config;
  const { applied, needRestart } = await live.apply(
    read({
      WAYPOST_LOG_LEVEL: 'debug',
      WAYPOST_EDGE_RESOLVERS: '192.0.2.53',
      WAYPOST_RATE_LIMIT: '7',
      WAYPOST_DNS_LISTEN: '127.0.0.1:53',
    }),
  );
  assert.equal(applied, ['rate_limit', 'edge.resolvers', 'log.level']);
  assert.equal(needRestart, ['dns.listen']);
  assert.equal([log.level, edge.resolvers, config.rateLimit], ['debug', ['192.0.2.53'], 7]);
  assert.is(config.dns.listen[0].port, 5300);
  assert.equal(structuredClone(edge).resolvers, ['192.0.2.53'], 'threads get the current values');
});

test('a setting that needs a restart is reported until it has its value of the start again', async () => {
  const live = new LiveConfig(read({}));
  const other = read({ WAYPOST_NODE_NAME: 'other', WAYPOST_LOG_LEVEL: 'warn' });
  assert.equal((await live.apply(other)).needRestart, ['node_name']);
  assert.equal(await live.apply(other), { applied: [], needRestart: ['node_name'] });
  assert.equal(await live.apply(read({})), { applied: ['log.level'], needRestart: [] });
});

test('followers of a key or of its section are called after all values have changed', async () => {
  const live = new LiveConfig(read({}));
  const calls: string[] = [];
  live.follow(['edge'], () => calls.push(`edge ${live.config.log.level}`));
  live.follow(['edge.name', 'acme'], () => calls.push('name'));
  live.follow(['edge_'], () => calls.push('never'));
  await live.apply(read({ WAYPOST_EDGE_NAME: 'cache', WAYPOST_LOG_LEVEL: 'error' }));
  assert.equal(calls, ['edge error', 'name']);
  await live.apply(read({ WAYPOST_EDGE_NAME: 'cache', WAYPOST_LOG_LEVEL: 'error' }));
  assert.is(calls.length, 2);
  live.forgetFollowers();
  await live.apply(read({}));
  assert.is(calls.length, 2);
});

test('followers of a file are called after a reload that finds other content', async () => {
  const file = join(temporaryFolder('live'), 'roots.pem');
  const settings = read({ WAYPOST_EDGE_ORIGIN_CA_FILE: file });
  writeFileSync(file, 'one');
  const live = new LiveConfig(settings);
  const calls: string[] = [];
  live.follow(['edge.origin_ca_file'], () => calls.push('file'));
  live.follow(['edge'], () => calls.push('section'));
  live.follow(['acme'], () => calls.push('never'));
  await live.apply(settings);
  assert.equal(calls, []);
  writeFileSync(file, 'two');
  const { applied } = await live.apply(settings);
  assert.equal(calls, ['file', 'section']);
  assert.equal(applied, [], 'the setting is the same');
  await live.apply(settings);
  assert.is(calls.length, 2);
});

test.run();
