/** Documents of sites in the dashboard: what forms and lists show after changes by others. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SiteDocument, type VersionCalls } from '../../../admin-api/dashboard/edge/site-document.ts';
import { LatestResponse } from '../../../admin-api/dashboard/parts/latest-response.ts';
import type { Result } from '../../../admin-api/dashboard/result.ts';

const test = suite('documents of sites in the dashboard');

interface Content {
  readonly revision: number;
  readonly text: string;
}

/** A document whose server the test changes. */
function open() {
  const server = { content: { revision: 0, text: '' }, isDown: false, more: 0 };
  const failed = (status: number, code: string): Result<Content> => ({
    ok: false,
    failure: { status, code, message: code } as Extract<Result<Content>, { ok: false }>['failure'],
  });
  const done = (): Result<Content> => ({ ok: true, data: server.content, response: {} as Response });
  const store = (text: string): void => {
    server.content = { revision: server.content.revision + 1, text };
  };
  class Page extends SiteDocument<Content, string> {
    protected override async loadMore(): Promise<null> {
      server.more++;
      return null;
    }
  }
  const versions: VersionCalls<Content> = {
    list: async () => ({ ok: true, data: { versions: [] }, response: {} as Response }),
    read: async () => done(),
    restore: async ({ header, path }) => {
      if (header['If-Match'] !== `"${server.content.revision}"`) return failed(412, 'changed');
      if (server.isDown) return failed(404, 'no_such_version');
      store(`version ${path.revision}`);
      return done();
    },
  };
  const page = new Page(1, {
    versions,
    read: async () => (server.isDown ? failed(0, 'network') : done()),
    write: async ({ header }, body) => {
      if (header['If-Match'] !== `"${server.content.revision}"`) return failed(412, 'changed');
      store(body);
      return done();
    },
  });
  const shown = () => [page.stored.value?.text, page.latest.value?.text, page.isOutdated.value];
  return { page, server, store, shown, versions };
}

test('a change by others is shown, and while the form is edited in the lists only', async () => {
  const { page, store, shown } = open();
  await page.load();
  store('one');
  await page.load();
  assert.equal(shown(), ['one', 'one', false]);
  page.isEdited.value = true;
  store('two');
  await page.load();
  assert.equal(shown(), ['one', 'two', true]);
});

test('after a conflict the user keeps the own text, and saving it replaces the other', async () => {
  const { page, server, store, shown } = open();
  await page.load();
  store('theirs');
  assert.match((await page.replace('mine'))?.message ?? '', /newer version/);
  assert.equal(shown(), ['', '', true]);
  await page.keep();
  assert.equal(shown(), ['', 'theirs', false]);
  assert.is(server.content.text, 'theirs', 'nothing is stored by the choice');
  assert.is(await page.replace('mine'), null);
  assert.equal([server.content.text, ...shown()], ['mine', 'mine', 'mine', false]);
  assert.is(page.isEdited.value, false);
});

test('keeping the own text does not hide what others change after it', async () => {
  const { page, store, shown } = open();
  await page.load();
  page.isEdited.value = true;
  store('theirs');
  await page.load();
  await page.keep();
  store('later');
  assert.is((await page.replace('mine'))?.code, 'changed');
  assert.equal(shown(), ['', 'theirs', true]);
  await page.discard();
  assert.equal(shown(), ['later', 'later', false]);
});

test('what is discarded stays while the newer version cannot be read', async () => {
  const { page, server, store, shown } = open();
  await page.load();
  page.isEdited.value = true;
  store('theirs');
  await page.load();
  server.isDown = true;
  await page.discard();
  assert.equal([page.isEdited.value, page.failure.value?.code], [true, 'network']);
  await page.keep();
  assert.is(page.isOutdated.value, true);
  server.isDown = false;
  await page.discard();
  assert.equal([page.isEdited.value, page.failure.value, ...shown()], [false, null, 'theirs', 'theirs', false]);
});

test('a change of a list applies to the latest version, and leaves an edited form', async () => {
  const { page, server, store, shown } = open();
  await page.load();
  assert.is(await page.change('by the list'), null);
  assert.equal(shown(), ['by the list', 'by the list', false]);
  page.isEdited.value = true;
  const { more } = server;
  assert.is(await page.change('again'), null);
  assert.is(server.more, more + 1);
  assert.equal(shown(), ['by the list', 'again', true]);
  store('theirs');
  assert.is((await page.change('too late'))?.code, 'changed');
});

test('a restored version is the latest, and leaves an edited form', async () => {
  const { page, server, shown, versions } = open();
  await page.load();
  await page.change('one');
  assert.is((await page.restore(versions, 7)).ok, true);
  assert.equal(shown(), ['version 7', 'version 7', false]);
  page.isEdited.value = true;
  await page.restore(versions, 8);
  assert.equal([server.content.revision, ...shown()], [3, 'version 7', 'version 8', true]);
});

test('a version is not restored over a change that the page did not show, but the next time', async () => {
  const { page, server, store, shown, versions } = open();
  await page.load();
  store('theirs');
  const conflict = await page.restore(versions, 7);
  assert.is(!conflict.ok && conflict.failure.code, 'changed');
  assert.equal(shown(), ['theirs', 'theirs', false]);
  server.isDown = true;
  assert.is((await page.restore(versions, 7)).ok, false);
  assert.equal(shown(), ['theirs', 'theirs', false]);
  server.isDown = false;
  await page.restore(versions, 7);
  assert.equal(shown(), ['version 7', 'version 7', false]);
});

test('a response that arrives late replaces nothing newer', async () => {
  const { page, server, store, shown } = open();
  store('one');
  const early = server.content;
  await page.load();
  await page.change('two');
  server.content = early;
  await page.load();
  assert.equal(shown(), ['two', 'two', false]);
  const latest = new LatestResponse();
  const [first, second] = [latest.begin(), latest.begin()];
  assert.equal([latest.mayShow(second), latest.mayShow(first), latest.mayShow(latest.begin())], [true, false, true]);
});

test.run();
