import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../core/config/index.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import { limitsFromConfig } from '../../../../edge/http/server/limits.ts';
import { DEFAULT_HTTP1_LIMITS, SERVER_LIMITS } from '../limits.ts';

test('without settings all limits have their defaults', () => {
  // One follows from the machine.
  const env = { WAYPOST_EDGE_CLIENT_MEMORY: '512MB', WAYPOST_EDGE_WORKERS: '2' };
  assert.equal(limitsFromConfig(loadConfig({ env }).edge), {
    server: SERVER_LIMITS,
    http1: DEFAULT_HTTP1_LIMITS,
    http2: DEFAULT_LIMITS,
  });
});

test('each setting changes its limit', () => {
  const env = {
    WAYPOST_EDGE_MAX_CONNECTIONS_PER_ADDRESS: '7',
    WAYPOST_EDGE_HTTP1_HEADER_OCTETS: '8KB',
    WAYPOST_EDGE_HTTP2_MAX_CONCURRENT_STREAMS: '100',
    WAYPOST_EDGE_STREAM_IDLE_TIMEOUT: '5000',
    WAYPOST_EDGE_TUNNEL_IDLE_TIMEOUT: '6000',
  };
  const { server, http1, http2 } = limitsFromConfig(loadConfig({ env }).edge);
  assert.equal([server.maxPerAddress, http1.headerBytes, http2.maxConcurrentStreams], [7, 8192, 100]);
  for (const limits of [http1, http2]) assert.equal([limits.streamIdleTimeout, limits.tunnelIdleTimeout], [5000, 6000]);
});

test.run();
