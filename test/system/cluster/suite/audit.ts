/** A package whose audit outlives the node that makes it. */
import type { ApiClient } from '../../../support/api-client.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { download, packageIn, upload } from '../a-package.ts';
import { until } from './machines.ts';
import type { Scenario } from './scenario.ts';

/** Functions in its script: the audit takes some seconds. */
const FUNCTIONS = 40_000;
/** Milliseconds: a claim of 120 seconds, a look each 15, and the audit itself. */
const TAKEN_OVER = 200_000;

const script = (): string =>
  Array.from(
    { length: FUNCTIONS },
    (_, i) =>
      `function count${i}(total, value) {\n  const sum = total + value * ${i};\n  return sum > ${i * 7} ? [value, sum] : { sum };\n}\n`,
  ).join('');

interface Told {
  readonly status: string;
}

export const auditTakenOver: Scenario = {
  name: 'a node is killed that audits a package, and another finishes that',
  async run({ nodes }, load) {
    const [first, second] = nodes;
    const folder = temporaryFolder('package');
    const content = await packageIn(folder, script());
    removeFolder(folder);
    const sent = upload(first.url, first.api, content);
    sent.catch(() => {});
    let id = '';
    await until('it is being audited', async () => {
      const { body } = await second.api.call('GET', '/api/dev/apps/com.example.notes');
      const [latest] = body.uploads as unknown as (Told & { id: string })[];
      id = latest.id;
      return latest.status === 'scanning';
    });
    await until('the other node has it', async () => (await download(second.url, second.api, id)) !== null);
    await first.kill();
    if ((await statusOf(second.api, id)) !== 'scanning')
      throw new Error('the audit was over before its node was killed');
    await until('it has a verdict', async () => (await statusOf(second.api, id)) === 'approved', TAKEN_OVER);
    load.check();
    // It may have been away for longer than the history: then its service restarts with the
    // store of another.
    await first.start();
    first.isUp = false;
    await first.untilReady();
    first.isUp = true;
    const status = await statusOf(first.api, id);
    if (status !== 'approved') throw new Error(`${first.name} has it as ${status}`);
  },
};

async function statusOf(api: ApiClient, id: string): Promise<string> {
  const { body } = await api.call('GET', `/api/dev/uploads/${id}`);
  return (body.upload as unknown as Told).status;
}
