/** Applies the change that hides the origin in one record. */
import type { ExposedRecord } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { type Failure, failureOf } from '../failure.ts';
import { TEXTS } from '../texts.ts';
import type { ProxyPage } from './proxy-page.ts';

/** Applies the change and reloads the page's state. Null on success. */
export async function fixExposed(page: ProxyPage, exposed: ExposedRecord): Promise<Failure | null> {
  const failure =
    exposed.fix === 'set_address' ? await replaceOrigin(page, exposed) : await changeRecord(page, exposed);
  await page.load();
  return failure;
}

/** Fails if the record has changed since the page was loaded. */
async function changeRecord({ params }: ProxyPage, exposed: ExposedRecord): Promise<Failure | null> {
  const etag = await findUnchanged(params, exposed);
  if (typeof etag !== 'string') return etag;
  const { name, type, content, record_id, fix, fixed_content } = exposed;
  const body =
    fix === 'set_proxied' ? { name, type, content, proxied: true } : { name, type, content: fixed_content ?? content };
  const result = await settle(
    api.PUT('/api/v1/domains/{domain_id}/records/{record_id}', {
      params: { path: { ...params.path, record_id }, header: { 'If-Match': etag } },
      body,
    }),
  );
  return result.ok ? null : result.failure;
}

/** Sets the origin before deleting the record, so the site stays reachable. */
async function replaceOrigin({ proxy, params }: ProxyPage, exposed: ExposedRecord): Promise<Failure | null> {
  const etag = await findUnchanged(params, exposed);
  if (typeof etag !== 'string') return etag;
  const { origin_port: port, origin_protocol: protocol } = proxy.peek() ?? {};
  const origin = await settle(
    api.PUT('/api/v1/domains/{domain_id}/proxy', {
      params,
      body: { origin: exposed.content, ...(port ? { port } : {}), ...(protocol ? { protocol } : {}) },
    }),
  );
  if (!origin.ok) return origin.failure;
  const path = { ...params.path, record_id: exposed.record_id };
  const deleted = await settle(
    api.DELETE('/api/v1/domains/{domain_id}/records/{record_id}', { params: { path, header: { 'If-Match': etag } } }),
  );
  return deleted.ok ? null : deleted.failure;
}

/** Returns the ETag of the zone, or a failure if the record has changed. */
async function findUnchanged(params: ProxyPage['params'], exposed: ExposedRecord): Promise<string | Failure> {
  const { name, type, content, record_id } = exposed;
  const query = { name, type };
  const result = await settle(api.GET('/api/v1/domains/{domain_id}/records', { params: { ...params, query } }));
  if (!result.ok) return result.failure;
  const found = result.data.records.find(({ id }) => id === record_id);
  if (found?.content === content) return result.response.headers.get('etag') ?? '*';
  return { ...failureOf(0, undefined), message: TEXTS.proxy.exposed.changed };
}
