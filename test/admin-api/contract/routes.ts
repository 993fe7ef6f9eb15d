/** Paths of the route list with ids in place of the parameters. */
import { ISSUED_SDKS } from '../../../admin-api/miniapp/sdk/issued.ts';
import { packageForm, packageText, UPLOAD } from '../miniapp/packages/package.ts';
import { signedIn } from './browser.ts';
import { storedPasskey } from './factors.ts';
import { testedWebhook } from './webhook.ts';
import { type Client, succeeded, type World } from './world.ts';

/** Parameter name to id. */
export type Ids = Readonly<Record<string, string | number>>;

/** `/a/{b}` with the id of `b`; an unknown id for a missing parameter. */
export function concrete(path: string, ids: Ids = {}, otherwise = String(Number.MAX_SAFE_INTEGER)): string {
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? otherwise));
  return /\/domains\/(check|zonefile)$/.test(named) ? `${named}?domain=unused.example` : named;
}

export const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);

/** A unique number for each package. */
let versions = 0;

/** Ids of objects of the user. */
export async function knownIds(world: World): Promise<Ids> {
  const zone = await world.zone();
  const record = await zone.add('www', 'A', '192.0.2.1');
  const { body } = await world.user.client.post('/api/v1/tokens', { name: 'known' });
  const { body: sent } = succeeded(
    await world.user.client.send(
      'POST',
      UPLOAD,
      packageForm(packageText('com.example.known', ++versions).replace('\n', ' icon:x\n')),
    ),
  );
  succeeded(await world.user.client.post(`/api/dev/uploads/${sent.upload.id}/publish`, {}));
  const { body: key } = await world.user.client.post('/api/v1/tsig-keys', { name: 'known' });
  return {
    domain_id: zone.id,
    record_id: String(record.id),
    token_id: String(body.id),
    session_id: (await signedIn(world, world.user)).id,
    passkey_id: await storedPasskey(world, world.user.id),
    key_id: String(key.id),
    app_id: String(sent.upload.app_id),
    upload_id: String(sent.upload.id),
    foreign_key_id: '1',
    account_id: world.user.id,
    ...(await testedWebhook(world.user.client)),
    seq: '1',
    ...(await writeDocuments(world.user.client, zone.path)),
    version: ISSUED_SDKS[0].version,
  };
}

/** Writes each document of a domain that keeps versions; returns the parameters of their paths. */
export async function writeDocuments(client: Client, path: string): Promise<Ids> {
  for (const [name, body] of Object.entries({ rules: { rules: [] }, 'error-pages': { pages: [] }, protection: {} }))
    succeeded(await client.put(`${path}/proxy/${name}`, body));
  const pools = [{ name: 'all', answers: [{ content: '192.0.2.1' }] }];
  succeeded(await client.put(`${path}/steering/steered/A`, { pools }));
  return { revision: '1', name: 'steered', type: 'A' };
}
