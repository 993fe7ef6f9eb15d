import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkListeners, listenersOf, loadConfig } from '../../../core/config/index.ts';

const test = suite('core/config/listeners');

const check = (env: NodeJS.ProcessEnv) => () => checkListeners(loadConfig({ env }));

test('the standard addresses are distinct, and a single node has no listener for others', () => {
  check({})();
  const keys = (env: NodeJS.ProcessEnv) => new Set(listenersOf(loadConfig({ env })).map(({ key }) => key));
  assert.not(keys({}).has('peer.listen'));
  assert.ok(keys({ WAYPOST_ETCD_ENDPOINTS: 'http://127.0.0.1:2379' }).has('peer.listen'));
});

test('two listeners with one address are refused, with both settings and the address', () => {
  for (const [env, pattern] of [
    [
      { WAYPOST_EDGE_HTTP_LISTEN: '127.0.0.1:8300' },
      /^edge\.http_listen 127\.0\.0\.1:8300 and admin\.listen 127\.0\.0\.1:8300 need the same TCP port\. Change/,
    ],
    [{ WAYPOST_EDGE_HTTPS_LISTEN: '127.0.0.1:8080' }, /edge\.https_listen .* and edge\.http_listen/],
    [{ WAYPOST_DNS_TLS_LISTEN: '127.0.0.1:5300' }, /dns\.tls_listen .* and dns\.listen/],
    [{ WAYPOST_EDGE_HTTPS_LISTEN: '*:8300' }, /edge\.https_listen 0\.0\.0\.0:8300 and admin\.listen 127/],
    [
      { WAYPOST_DNS_LISTEN: '127.0.0.1:53,0.0.0.0:53' },
      /dns\.listen 0\.0\.0\.0:53 and dns\.listen 127\.0\.0\.1:53 .* UDP/,
    ],
    [{ WAYPOST_ETCD_ENDPOINTS: 'http://127.0.0.1:2379', WAYPOST_PEER_LISTEN: '127.0.0.1:8443' }, /peer\.listen/],
  ] as const)
    assert.throws(check(env), pattern);
});

test('a free port, another family, and a specific address beside a wildcard of the edge do not conflict', () => {
  for (const env of [
    { WAYPOST_EDGE_HTTP_LISTEN: '127.0.0.1:0', WAYPOST_EDGE_HTTPS_LISTEN: '127.0.0.1:0' },
    { WAYPOST_EDGE_HTTPS_LISTEN: '[::]:8300' },
    { WAYPOST_EDGE_HTTP_LISTEN: '*:443', WAYPOST_EDGE_HTTPS_LISTEN: '127.0.0.1:443' },
    { WAYPOST_PEER_LISTEN: '127.0.0.1:8443' },
  ])
    check(env)();
});

test.run();
