/** Mini-apps and their review in the dashboard of a real daemon in Chromium. */

import { buffer } from 'node:stream/consumers';
import type { Page, Route } from 'playwright-core';
import * as assert from 'uvu/assert';
import { ZipFile } from 'yazl';
import { newApp } from '../../../admin-api/miniapp/templates/templates.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { untilIs } from '../../support/until.ts';
import { checkScreen } from '../browser/screen.ts';
import { browserSuite } from '../browser/suite.ts';
import { signIn, type World, withOwnWorld, withPage } from './browser.ts';

const test = browserSuite('mini-apps in the dashboard');

const PASSWORD = 'a long password';
const ID = 'com.example.notes';
const MARKUP = '<img src=x onerror=alert(1)>';

interface Contents {
  readonly version: string;
  readonly code: number;
  /** Added to app.js; DOUBTFUL if omitted. */
  readonly script?: string;
  /** Further files. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A person looks at a package with this script. */
const DOUBTFUL = "\nself[location.hash.slice(1) + 'x']('y');\n";

async function packageOf({ version, code, script = DOUBTFUL, files = {} }: Contents): Promise<Buffer> {
  const made = newApp({ id: ID, name: `Notes ${MARKUP}` });
  const manifest = { ...JSON.parse(String(made['manifest.json'])), version, versionCode: code };
  const all = {
    ...made,
    'manifest.json': JSON.stringify(manifest),
    'app.js': `${made['app.js']}${script}`,
    ...files,
  };
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(all)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return buffer(zip.outputStream);
}

const file = (content: Buffer, name = 'notes.pkg') => ({ name, mimeType: 'application/octet-stream', buffer: content });

async function withDeveloper(use: (world: World, developer: Page, admin: Page) => Promise<void>): Promise<void> {
  // Apps cannot be deleted.
  await withOwnWorld(async (world) => {
    const { base, daemon } = world;
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    await daemon.api.call('POST', '/api/v1/accounts', { username: 'dev', password: PASSWORD });
    await withPage(world, async (admin) => {
      await signIn(admin, base);
      await withPage(world, async (developer) => {
        await developer.goto(`${base}/mini-apps`);
        await developer.getByLabel('Username or e-mail').fill('dev');
        await developer.getByLabel('Password').fill(PASSWORD);
        await developer.getByRole('button', { name: 'Sign in' }).click();
        await use(world, developer, admin);
      });
    });
  });
}

async function upload(page: Page, given: ReturnType<typeof file>, notes?: string): Promise<void> {
  await page.getByLabel('Package', { exact: true }).setInputFiles(given);
  if (notes !== undefined) await page.getByLabel('Release notes').fill(notes);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
}

const badge = (page: Page, state: string) => page.locator('.domain-head').getByText(state, { exact: true });

test('a package is uploaded, refused, rejected with source excerpts, reviewed, published and withdrawn', async () => {
  await withDeveloper(async ({ base, daemon }, developer, admin) => {
    await developer.getByText('No mini-apps yet').waitFor();
    await checkScreen(developer, 'apps-empty');

    // The API refuses what it cannot read.
    await upload(developer, file(Buffer.from('x'), `${MARKUP}.zip`));
    await developer.getByText('The name of the uploaded file must end in .pkg.').waitFor();
    await developer.getByText(`${MARKUP}.zip, 1 byte`).waitFor();
    await upload(developer, file(Buffer.from('not an archive')));
    await developer.getByRole('alert').locator('li').first().waitFor();
    await checkScreen(developer, 'apps-refused');
    await upload(developer, file(await packageOf({ version: '1', code: 1 })), 'x'.repeat(4001));
    await developer.getByRole('alert').getByText('at most 4000 characters').waitFor();

    // A package with errors; everything in it stays text.
    const script = `\nconst html = '${MARKUP}'; eval(html); /* \u202e hidden */\nnavigator.geolocation.getCurrentPosition(eval);\n`;
    const bad = await packageOf({
      ...{ version: '1.0', code: 1, script },
      files: { [`${MARKUP}.js`]: 'eval(1);\n' },
    });
    await developer.getByLabel('Package', { exact: true }).setInputFiles([]);
    const data = await developer.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        const bytes = Uint8Array.from(atob('${bad.toString('base64')}'), (char) => char.charCodeAt(0));
        transfer.items.add(new File([bytes], 'dropped.pkg'));
        return transfer;
      })()`);
    const zone = developer.locator('.drop');
    await zone.dispatchEvent('dragover', { dataTransfer: data });
    await checkScreen(developer, 'apps-dragging');
    await zone.dispatchEvent('drop', { dataTransfer: data });
    await developer.getByText(/^dropped\.pkg, /).waitFor();
    await developer.getByLabel('Release notes').fill(`First ${MARKUP}\nSecond line`);
    await developer.getByRole('button', { name: 'Upload', exact: true }).click();
    await badge(developer, 'Rejected').waitFor();
    await developer.getByText(`First ${MARKUP}`).waitFor();
    await untilIs(() => developer.locator('.written').innerText(), `First ${MARKUP}\nSecond line`);
    await developer.getByText('Report of the audit').waitFor();
    await developer.locator('.excerpt mark', { hasText: 'eval' }).first().waitFor();
    await developer.locator('.excerpt', { hasText: '\\u{202e}' }).first().waitFor();
    await developer.locator('.excerpt', { hasText: MARKUP }).first().waitFor();
    await developer.getByText('How to fix it:').first().waitFor();
    await developer
      .locator('.places code', { hasText: `${MARKUP}.js` })
      .first()
      .waitFor();
    await checkScreen(developer, 'upload-rejected');
    await developer.locator('.excerpt').first().scrollIntoViewIfNeeded();
    await checkScreen(developer, 'upload-findings');
    const rejected = developer.url();

    // A better version waits for a person, and is compared with the one before.
    await developer.getByRole('link', { name: ID, exact: true }).click();
    await developer.getByRole('link', { name: '1.0 (1)' }).waitFor();
    await checkScreen(developer, 'app');
    await upload(developer, file(await packageOf({ version: '1.1', code: 1 })));
    await developer.getByRole('alert').getByText('increase "versionCode"').waitFor();
    await upload(developer, file(await packageOf({ version: '1.1', code: 2 })), 'Without eval.');
    await badge(developer, 'In review').waitFor();
    await developer.getByLabel('Compare with an earlier version').selectOption('1.0 (1)');
    await developer.getByText(/\d+ new findings?, \d+ no longer there\./).waitFor();
    await checkScreen(developer, 'upload-in-review');

    // The review.
    await admin.getByRole('link', { name: 'Review' }).click();
    await admin.getByRole('link', { name: `Notes ${MARKUP}` }).waitFor();
    await admin.getByText('1 package waiting').waitFor();
    await checkScreen(admin, 'reviews');
    await admin.getByRole('link', { name: `Notes ${MARKUP}` }).click();
    await admin.getByRole('link', { name: 'dev', exact: true }).waitFor();
    await admin.getByRole('button', { name: 'Reject' }).click();
    await admin.locator('.fault').waitFor();
    await checkScreen(admin, 'review');
    const download = admin.waitForEvent('download');
    await admin.getByRole('link', { name: 'Download the package' }).click();
    assert.match((await download).suggestedFilename(), /^\d+\.pkg$/);
    await admin.getByLabel('Note to the developer').fill(`Fine. ${MARKUP}`);
    await admin.getByRole('button', { name: 'Approve' }).click();
    await admin.getByText('Nothing to review').waitFor();
    await checkScreen(admin, 'reviews-empty');

    // The decision appears by itself; the owner publishes, and withdraws.
    await badge(developer, 'Approved').waitFor();
    await developer.getByText(`Fine. ${MARKUP}`).waitFor();
    await developer.getByRole('button', { name: 'Publish' }).click();
    await badge(developer, 'Published').waitFor();
    await developer.getByRole('link', { name: `/api/store/apps/${ID}`, exact: true }).waitFor();
    await checkScreen(developer, 'upload-published');
    const published = developer.url();
    await developer.getByRole('button', { name: 'Withdraw …' }).click();
    const dialog = developer.getByRole('dialog');
    await dialog.getByLabel(`Type ${ID} to confirm`).fill(ID);
    await checkScreen(developer, 'upload-withdraw');
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await badge(developer, 'Withdrawn').waitFor();
    await untilIs(() => developer.getByRole('button', { name: 'Withdraw …' }).count(), 0);
    await developer.goto(`${base}/mini-apps`);
    await developer.getByText(`Notes ${MARKUP}`).waitFor();
    await checkScreen(developer, 'apps');

    // An administrator sees it as the developer's. A decided package offers no decision.
    await admin.goto(published);
    await admin.getByRole('region', { name: 'Acting for another account' }).getByText('You act for dev').waitFor();
    await admin.getByRole('link', { name: 'Mini-apps', exact: true }).first().click();
    await admin.getByText(`Notes ${MARKUP}`).waitFor();
    await admin.goto(`${base}/review/${published.split('/').at(-1)}`);
    await admin.getByText('There is nothing to decide in this state.').waitFor();
    await daemon.api.call('POST', '/api/v1/accounts', { username: 'other', password: PASSWORD });
    const { accounts } = (await daemon.api.call('GET', '/api/v1/accounts?q=dev')).body as never as {
      accounts: readonly { id: number }[];
    };
    await daemon.api.call('PATCH', `/api/v1/accounts/${accounts[0].id}`, { role: 'viewer' });
    await developer.reload();
    await developer.getByText('Your role is only allowed to read').waitFor();
    await untilIs(() => developer.getByLabel('Package', { exact: true }).count(), 0);
    await developer.goto(rejected);
    await badge(developer, 'Rejected').waitFor();
    await untilIs(() => developer.getByRole('button', { name: 'Withdraw …' }).count(), 0);
    await developer.goto(`${base}/mini-apps`);
    await developer.getByRole('button', { name: 'Sign out' }).click();
    await developer.getByLabel('Username or e-mail').fill('other');
    await developer.getByLabel('Password').fill(PASSWORD);
    await developer.getByRole('button', { name: 'Sign in' }).click();
    await developer.getByText('No mini-apps yet').waitFor();
    for (const address of [rejected, published]) {
      await developer.goto(address);
      await developer.getByText('This account has no upload with this id.').waitFor();
    }
    await developer.goto(`${base}/mini-apps/${ID}`);
    await developer.getByText('This account has no app with this id.').waitFor();
    await developer.goto(`${base}/review`);
    await developer.getByText('Only administrators are allowed to do this.').waitFor();
  });
});

test('a rejection names rules, an app is suspended, and an upload is cancelled', async () => {
  await withDeveloper(async ({ base }, developer, admin) => {
    await developer.getByText('No mini-apps yet').waitFor();
    const held: Route[] = [];
    await developer.route('**/api/dev/apps/upload', (route) => void held.push(route));
    await upload(developer, file(await packageOf({ version: '1.0', code: 1 })));
    await developer.getByRole('progressbar').waitFor();
    await checkScreen(developer, 'apps-sending');
    await developer.getByRole('button', { name: 'Cancel' }).click();
    await developer.getByRole('progressbar').waitFor({ state: 'detached' });
    await untilIs(() => developer.getByRole('alert').count(), 0);
    // Removing the route would send a request that is held.
    for (const route of held) await route.abort().catch(() => {});
    await developer.unroute('**/api/dev/apps/upload');
    await developer.getByRole('button', { name: 'Upload', exact: true }).click();
    await badge(developer, 'In review').waitFor();

    await admin.goto(`${base}/review`);
    await admin.getByRole('link', { name: `Notes ${MARKUP}` }).click();
    await admin.getByLabel('Note to the developer').fill('Use the SDK that was issued to you.');
    const codes = admin.getByRole('group', { name: 'Findings that are the reason of a rejection' });
    await codes.getByRole('checkbox').first().check();
    const code = await codes.getByRole('checkbox').first().getAttribute('name');
    await admin.getByRole('button', { name: 'Reject' }).click();
    await admin.getByText('The package was rejected.').waitFor();
    await badge(developer, 'Rejected').waitFor();
    await developer.getByText('Use the SDK that was issued to you.').waitFor();
    await developer.getByText(`Because of ${code}.`).waitFor();

    await admin.goto(`${base}/mini-apps/${ID}`);
    await admin.getByLabel('Reason').fill(`It sends contacts away ${MARKUP}`);
    await admin.getByRole('button', { name: 'Suspend the app' }).click();
    await admin.getByText('The app was suspended.').waitFor();
    await admin.getByText(`Reason: It sends contacts away ${MARKUP}`).waitFor();
    await checkScreen(admin, 'app-suspended');
    await developer.goto(`${base}/mini-apps`);
    await developer.getByText('App suspended').waitFor();
    await upload(developer, file(await packageOf({ version: '1.1', code: 2 })));
    await developer.getByRole('alert').getByText('The app is suspended').waitFor();
    await admin.getByRole('button', { name: 'Reinstate the app' }).click();
    await admin.getByText('The app was reinstated.').waitFor();
    await developer.getByRole('button', { name: 'Upload', exact: true }).click();
    await badge(developer, 'In review').waitFor();
  });
});

test.run();
