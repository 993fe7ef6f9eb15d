/** Sessions of the pages of an app, audits while files change, and what panels are sent. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Audit } from '../../../../admin-api/miniapp/audit/audit.ts';
import { AppStorage } from '../../../../admin-api/miniapp/host/app-storage.ts';
import { AppHost, type Phone } from '../../../../admin-api/miniapp/simulator/app-host.ts';
import { AuditLoop } from '../../../../admin-api/miniapp/simulator/audit-loop.ts';
import { SimulatedNetwork } from '../../../../admin-api/miniapp/simulator/network.ts';
import type { AuditView, ServerEvent } from '../../../../admin-api/miniapp/simulator/protocol.ts';
import { Recent } from '../../../../admin-api/miniapp/simulator/recent.ts';
import { TopicStore } from '../../../../admin-api/miniapp/simulator/simulator.ts';
import { Camera } from '../../../../admin-api/miniapp/simulator/user.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

const test = suite('parts of the simulator');

const APP = {
  ...{ id: 'com.example.test', name: 'Test', version: '1.0.0', versionCode: 1, minHostVersion: '1.0.0' },
  permissions: ['camera'],
  background: null,
};
const HELLO = '{"type":"hello","protocols":[1],"sdk":"1.0.0"}';
const PHOTO = '{"type":"request","protocol":1,"id":"1","operation":"camera.takePhoto","params":{}}';

async function withHost(
  use: (host: AppHost, sent: string[], photos: () => readonly number[], camera: Camera) => Promise<void>,
) {
  const storage = new AppStorage(temporaryFolder('app-host'));
  const sent: string[] = [];
  let photos: readonly number[] = [];
  const camera = new Camera((ids) => {
    photos = ids;
  });
  const unused = (): never => assert.unreachable() as never;
  const phone: Phone = {
    ...{ storage, camera, hostVersion: '1.0.0', network: new SimulatedNetwork(new Map(), () => {}) },
    deviceInfo: unused,
    prompt: async () => 'granted',
    toast: unused,
    vibrate: unused,
    schedule: unused,
    send: (client, frame, text) =>
      sent.push(`${client} ${frame} ${JSON.parse(text).type} ${JSON.parse(text).error?.code ?? ''}`),
    log: () => {},
    fault: unused,
    permissionsChanged: () => {},
  };
  const host = new AppHost(APP, phone);
  try {
    await use(host, sent, () => photos, camera);
  } finally {
    host.close();
    await storage.close();
  }
}

test('a document that the app server sends ends the session of the page before it', () =>
  withHost(async (host, sent, photos, camera) => {
    host.receive({ client: '1', frame: 1, texts: [HELLO, PHOTO] });
    await until(() => photos().length === 1);
    // A second hello of the same page leaves its requests.
    host.receive({ client: '1', frame: 1, texts: [HELLO] });
    assert.is(photos().length, 1);
    host.documentSent();
    host.receive({ client: '1', frame: 1, texts: [HELLO] });
    await until(() => photos().length === 0);
    host.receive({ client: '1', frame: 1, texts: [PHOTO] });
    await until(() => photos().length === 1);
    camera.deliver(photos()[0], null);
    await until(() => sent.length === 4);
    assert.equal(sent, ['1 1 welcome ', '1 1 welcome ', '1 1 welcome ', '1 1 response cancelled']);
  }));

test('pages of several tabs have sessions of their own', () =>
  withHost(async (host, sent, photos) => {
    host.receive({ client: '1', frame: 1, texts: [HELLO, PHOTO] });
    await until(() => photos().length === 1);
    host.receive({ client: '2', frame: 1, texts: [HELLO, PHOTO] });
    await until(() => sent.includes('2 1 response busy'));
    // Another frame of the first tab.
    host.receive({ client: '1', frame: 2, texts: [HELLO] });
    await until(() => photos().length === 0);
    assert.equal(sent.at(-1), '1 2 welcome ');
  }));

const AUDIT: Audit = {
  readable: true,
  manifest: undefined,
  summary: { errors: 0, warnings: 0, notices: 0, review: 0, omitted: 0 },
  findings: [],
  verdict: 'approved',
};

test('an audit ends when files change, and the next one counts', async () => {
  const views: AuditView[] = [];
  let runs = 0;
  const loop = new AuditLoop(
    (signal) =>
      ++runs > 1
        ? Promise.resolve(AUDIT)
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    (view) => views.push(view),
  );
  loop.schedule();
  await until(() => runs === 1);
  loop.schedule();
  await until(() => views.at(-1)?.state === 'finished');
  assert.equal(
    views.map(({ state }) => state),
    ['waiting', 'running', 'running', 'finished'],
  );
  loop.close();
});

test('changes within a frame of the display are one event', async () => {
  const events: ServerEvent[] = [];
  const topics = new TopicStore((event) => events.push(event));
  topics.set('photos', [1]);
  topics.set('photos', [2]);
  topics.set('prompts', []);
  assert.equal(events, []);
  await until(() => events.length > 0);
  topics.setNow('photos', []);
  assert.equal(events, [
    { type: 'topics', topics: { photos: [2], prompts: [] } },
    { type: 'topics', topics: { photos: [] } },
  ]);
  assert.equal(topics.all(), { photos: [], prompts: [] });
  topics.close();
});

test('a log keeps its latest entries', () => {
  const log = new Recent<number>(3);
  for (const entry of [1, 2, 3, 4]) log.add(entry);
  assert.equal(log.entries, [2, 3, 4]);
  log.replace(1, 9);
  log.replace(3, 5);
  assert.equal(log.entries, [2, 5, 4]);
});

test.run();
