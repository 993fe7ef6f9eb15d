/** The alert of responses that the system does not send, in a network of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'uvu';
import { openNetwork, run } from '../support/network.ts';
import { freePort } from '../support/ports.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { withDaemon, withPrometheus } from './alert-watch.ts';
import { without } from './optional.ts';

const HUB = '10.77.0.254';

/** Sends a query for the root each 20 milliseconds. */
const client = (port: number): string => `
const socket = require('node:dgram').createSocket('udp4');
const query = Buffer.from('000101000001000000000000' + '0000020001', 'hex');
setInterval(() => socket.send(query, ${port}, '${HUB}'), 20);`;

const isAble = spawnSync('unshare', ['--net', 'true']).status === 0;
const missing = isAble ? whyNotPrograms('prometheus') : without('network namespaces');
if (missing !== null) console.log(`Skipped: the alert of responses that are not sent: ${missing}.`);
else
  test('clients to which a route is forbidden', async () => {
    const [place] = openNetwork(1);
    const port = await freePort();
    const asking = place.inside(() => spawn(process.execPath, ['-e', client(port)], { stdio: 'ignore' }));
    run('ip', 'route', 'add', 'prohibit', `${place.address}/32`);
    try {
      await withDaemon({ WAYPOST_DNS_LISTEN: `${HUB}:${port}`, WAYPOST_DNS_RRL_RATE: '0' }, (daemon) =>
        withPrometheus([daemon], ({ untilFired }) => untilFired(['WaypostDnsSendErrors'])),
      );
    } finally {
      asking.kill();
      place.close();
    }
  });

test.run();
