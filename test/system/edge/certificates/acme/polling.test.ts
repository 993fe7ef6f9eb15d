/** Requests that a certificate authority gets while it validates for seconds, counted there. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startFront } from '../../../../edge/certificates/acme/front.ts';
import { Rig } from '../../../../edge/certificates/acme/rig.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { startDirectory } from '../../../peers/pebble.ts';

const test = suite('polling of pebble');

/** Two names, each with a validation of its own. */
const NAMES = 2;
/** Polls of one resource; at intervals from a quarter of a second, doubled. */
const MAX_POLLS = 10;

test('validations of some seconds cost about ten requests, not hundreds', async () => {
  const rig = await Rig.open();
  const pebble = await startDirectory(rig.dnsPort, { validationSeconds: 6 });
  const front = await startFront(pebble);
  try {
    const domain = await rig.add('slow.example.net');
    rig.start({ directory: front.url, caFile: front.authority });
    await rig.toggle(domain, true);
    await rig.untilActive(domain);
    const polls = new Map<string, number>();
    for (const { method, path, payload } of front.request)
      if (method === 'POST' && payload === undefined) polls.set(path, (polls.get(path) ?? 0) + 1);
    const resources = [...polls].filter(([path]) => /^\/(authZ|my-order)\//.test(path));
    assert.is(resources.length, NAMES + 1, JSON.stringify(resources));
    for (const [path, count] of resources) assert.ok(count <= MAX_POLLS, `${count} requests for ${path}`);
    console.log(`requests at the authority: ${front.request.length} in all, ${JSON.stringify(resources)}`);
  } finally {
    await rig.close();
    await front.stop();
    await pebble.stop();
  }
});

const why = whyNotPrograms('pebble');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: polling of pebble, ${why}`);
