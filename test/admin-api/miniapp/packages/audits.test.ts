/** Audits of packages with programs that do what the package says, including crashes. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { write } from '../../../../core/journal/draft/draft.ts';
import { uploadOf } from '../../../../core/store/package-reads.ts';
import { reports, uploads } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { each, everywhere, onOne, succeeded, walk } from '../../contract/world.ts';
import { type Json, listOf } from '../../daemon.ts';
import { APPS, newId, SETTINGS, settled, upload, uploaded } from './client.ts';

await everywhere(
  'audits of packages',
  (test, variant) => {
    const once = onOne(test, variant);

    once('verdicts: rejected, in review, approved', async ({ world }) => {
      const { client } = world.user;
      assert.is(String((await uploaded(client, newId(), 1, 'reject')).status), 'rejected');
      assert.is(String((await uploaded(client, newId(), 1, 'review')).status), 'in_review');
      assert.is(String((await uploaded(client, newId(), 1)).status), 'approved');
    });

    for (const order of ['throw', 'exit', 'reject_later'] as const)
      once(`an audit that does "${order}" does not approve`, async ({ world }) => {
        const { client } = world.user;
        const of = await settled(client, await uploaded(client, newId(), 1, order));
        assert.equal([of.status, ...each(listOf(of.audit.findings), 'code')], ['in_review', 'audit_crashed']);
        assert.is(Number(of.audit.summary.review), 1);
      });

    for (const order of ['hang', 'wait', 'memory'] as const)
      once(`an audit that does "${order}" is stopped and does not approve`, async ({ world }) => {
        const { client } = world.user;
        const of = await settled(client, await uploaded(client, newId(), 1, order));
        assert.is(String(of.status), 'in_review');
        assert.match(each(listOf(of.audit.findings), 'code')[0], /^audit_(timed_out|crashed)$/);
        // The next package is still audited.
        assert.is(String((await uploaded(client, newId(), 1)).status), 'approved');
      });

    once('a package withdrawn during its audit gets no verdict', async ({ world }) => {
      const { client } = world.user;
      const sent = upload(client, newId(), 1, 'slow');
      let found: Json[] = [];
      while (found.length === 0)
        found = (await walk(client, APPS, 'apps')).filter((app) => String(app.audit_status) === 'scanning');
      succeeded(await client.delete(String(found[0].latest.url)));
      assert.is(String((await sent).body.upload.status), 'withdrawn');
      assert.equal((await sent).body.upload.audit, { summary: null, findings: [] });
    });

    once(
      'an audit that a start finds begun comes to its verdict; one that never ends is for a person',
      async ({ world }) => {
        const { daemon } = world;
        const { client } = world.user;
        const ids = await Promise.all(
          [0, 3].map(async (begun) => {
            const { id } = await uploaded(client, newId(), 1);
            // The state after a crash during the audit.
            await write(daemon.environment, daemon.journal, 'test', (draft) => {
              const row = uploadOf(draft, Number(id))!;
              const claim = { node: daemon.nodeName, until: 0, begun };
              draft.put(uploads, { ...row, state: 'scanning', claim, summary: null, history: row.history.slice(0, 2) });
              draft.delete(reports, { uploadId: row.id, findings: Buffer.alloc(0) });
            });
            return String(id);
          }),
        );
        await daemon.restart();
        const [first, second] = await Promise.all(ids.map((id) => settled(client, `/api/dev/uploads/${id}`)));
        assert.is(String(first.status), 'approved');
        assert.equal([second.status, ...each(listOf(second.audit.findings), 'code')], ['in_review', 'audit_crashed']);
      },
    );

    once('a package that another node audits is taken over only when its claim ends', async ({ world }) => {
      const { daemon } = world;
      const { client } = world.user;
      const { id } = await uploaded(client, newId(), 1);
      const claimed = (until: number) =>
        write(daemon.environment, daemon.journal, 'test', (draft) => {
          const row = uploadOf(draft, Number(id))!;
          const claim = { node: 'another', until, begun: 1 };
          draft.put(uploads, { ...row, state: 'scanning', claim, summary: null });
        });
      await claimed(Date.now() / 1000 + 1000);
      await daemon.restart();
      await sleep(300);
      const reader = new StoreReader(daemon.environment);
      assert.is(uploadOf(reader, Number(id))?.claim?.node, 'another');
      await claimed(0);
      await daemon.restart();
      assert.is(String((await settled(client, `/api/dev/uploads/${id}`)).status), 'approved');
    });

    once('accounts take turns', async ({ world }) => {
      const { client: busy } = await world.member();
      const { client: other } = await world.member();
      let finished = 0;
      const many = Array.from({ length: 6 }, () => upload(busy, newId(), 1, 'slow').then(() => finished++));
      while ((await walk(busy, APPS, 'apps')).length < 6) await sleep(20);
      await uploaded(other, newId(), 1);
      const before = finished;
      await Promise.all(many);
      assert.ok(before < many.length, 'it came after all of the busy account');
    });
  },
  SETTINGS,
);
