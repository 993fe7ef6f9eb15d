/** Endpoints of developers: their apps and packages. */

import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { appsOf, uploadsOf } from '../../../core/store/package-reads.ts';
import { ACTING_FAULTS, accountOf, accountQuery } from '../../change/acting.ts';
import { parseId } from '../../change/services.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { invalidCursor, pageQuery } from '../../http/lists.ts';
import { formRoute, publicRoute, route } from '../../http/route.ts';
import { rulesByCode, rulesHtml } from '../audit/report/rules-page.ts';
import { changeUploadState } from './decisions.ts';
import { isAppId, ownedApp, ownedUpload } from './owned.ts';
import { APPS, RULES, ruleUrl, UPLOADS } from './paths.ts';
import { appResponse, appsResponse, packageForm, rulesResponse, uploadBrief, uploadResponse } from './schema.ts';
import { type Intake, maxFormBytes, receivePackage, submitPackage } from './submit.ts';
import { partOfUploads, report, viewApp, viewReport, viewUploadBrief } from './view.ts';

/** Seconds for which caches may reuse the page. */
const MAX_AGE = 3600;
/** Content-Security-Policy of a page with only text and its own style. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const uploadBriefResponse = Type.Object({ upload: uploadBrief });

export function packageRoutes(intake: Intake) {
  const { services } = intake;
  const { reader, config } = services;
  return [
    formRoute({
      operationId: 'uploadPackage',
      method: 'POST',
      path: `${APPS}/upload`,
      tag: 'packages',
      summary: 'Upload a package',
      description:
        'The package is audited at once. The response waits some seconds for the verdict. If the audit takes longer, "status" is "pending" or "scanning", and "url" is the path for polling. An app belongs to the account that uploads its first package.',
      example: { file: 'notes.pkg', command: 'waypost pkg upload notes.pkg' },
      scope: 'packages',
      query: accountQuery,
      form: packageForm,
      limit: maxFormBytes(config.packages.maxBytes),
      response: uploadResponse,
      faults: {
        400: ['malformed_multipart'],
        403: [...ACTING_FAULTS[403], 'app_taken', 'app_suspended'],
        404: ACTING_FAULTS[404],
        409: ['app_limit', 'version_exists', 'version_not_greater'],
        413: ['package_too_large'],
        422: [
          'unreadable_package',
          'package_missing',
          'package_name',
          'invalid_notes',
          'repeated_part',
          'field_too_long',
          'too_many_parts',
        ],
      },
      receive: (context) => receivePackage(intake, context),
      run: (context) => submitPackage(intake, context, context.body),
    }),
    route({
      operationId: 'listApps',
      method: 'GET',
      path: APPS,
      tag: 'packages',
      summary: 'List the apps of the account',
      description: 'Each with its latest package and the state of its audit.',
      example: { command: 'waypost pkg list' },
      scope: 'packages',
      query: { ...pageQuery, ...accountQuery },
      response: appsResponse,
      faults: ACTING_FAULTS,
      run(context) {
        const { id } = accountOf(reader, context);
        return replyWithList(services.streams, context, 'apps', {
          read({ limit, after }) {
            const from = after?.toString() ?? null;
            if (from !== null && !isAppId(from)) throw invalidCursor();
            const found = appsOf(reader, id, from, limit + 1);
            const rows = found.slice(0, limit);
            return { rows, last: found.length > limit ? Buffer.from(rows[rows.length - 1].id) : null };
          },
          view: (app) => viewApp(reader, app),
        });
      },
    }),
    route({
      operationId: 'getApp',
      method: 'GET',
      path: `${APPS}/{app_id}`,
      tag: 'packages',
      summary: 'Get an app and its packages',
      description: 'The packages are those of all versions, newest first.',
      example: { command: 'waypost pkg list com.example.notes' },
      scope: 'packages',
      query: pageQuery,
      response: appResponse,
      faults: { 404: ['no_such_app'] },
      run(context) {
        const app = ownedApp(reader, context.caller, context.params.app_id);
        return replyWithList(services.streams, context, 'uploads', {
          read(page) {
            const { rows, last } = partOfUploads(page, (after, limit) => uploadsOf(reader, app.id, after, limit));
            return { rows, last, more: { app: viewApp(reader, app) } };
          },
          view: viewUploadBrief,
        });
      },
    }),
    route({
      operationId: 'getUpload',
      method: 'GET',
      path: `${UPLOADS}/{upload_id}`,
      tag: 'packages',
      summary: 'Get a package and all findings',
      scope: 'packages',
      description: 'The response is text for people if Accept requests text/plain.',
      example: { command: 'waypost pkg show 17' },
      response: uploadResponse,
      responseType: 'text/plain',
      faults: { 404: ['no_such_upload'] },
      async run(context) {
        const upload = ownedUpload(reader, context.caller, parseId(context.params.upload_id));
        return report(context, await viewReport(reader, upload));
      },
    }),
    route({
      operationId: 'publishUpload',
      method: 'POST',
      path: `${UPLOADS}/{upload_id}/publish`,
      tag: 'packages',
      summary: 'Publish an approved package',
      description:
        'The package replaces the published one. If the service publishes automatically, this is not needed.',
      example: { command: 'waypost pkg publish 17' },
      scope: 'packages',
      response: uploadBriefResponse,
      faults: { 404: ['no_such_upload'], 409: ['wrong_state', 'app_suspended'] },
      run: (context) =>
        changeUploadState(
          services,
          context,
          (draft) => ownedUpload(draft, context.caller, parseId(context.params.upload_id)),
          'published',
        ),
    }),
    route({
      operationId: 'withdrawUpload',
      method: 'DELETE',
      path: `${UPLOADS}/{upload_id}`,
      tag: 'packages',
      summary: 'Withdraw a package',
      description: 'The package is no longer audited, reviewed or published. Its versionCode cannot be used again.',
      example: { command: 'waypost pkg withdraw 17 --yes' },
      scope: 'packages',
      response: uploadBriefResponse,
      faults: { 404: ['no_such_upload'], 409: ['wrong_state'] },
      run: (context) =>
        changeUploadState(
          services,
          context,
          (draft) => ownedUpload(draft, context.caller, parseId(context.params.upload_id)),
          'withdrawn',
        ),
    }),
  ];
}

/** The endpoint that explains the rules of audits. */
export function rulesRoute() {
  const rules = rulesByCode().map(([code, { type, review = false, title, about, fix }]) => {
    return { code, type, review, title, about, fix, url: ruleUrl(code) };
  });
  const page = Buffer.from(rulesHtml());
  const tag = createHash('sha256').update(page).digest('base64url').slice(0, 20);
  return publicRoute({
    operationId: 'listRules',
    method: 'GET',
    path: RULES,
    tag: 'packages',
    summary: 'List the audit rules',
    description:
      'The response is an HTML page if Accept requests text/html first, as browsers do. The "url" of a finding links to its rule on this page.',
    response: rulesResponse,
    responseType: 'text/html',
    faults: { 304: [] },
    run({ header, headers }) {
      const isPage = /^\s*text\/html\b/i.test(header('accept') ?? '');
      headers.Vary = 'Accept';
      headers.ETag = `"${tag}${isPage ? '-html' : ''}"`;
      headers['Cache-Control'] = `public, max-age=${MAX_AGE}`;
      if (!isPage) return { rules };
      headers['Content-Type'] = 'text/html; charset=utf-8';
      headers['Content-Security-Policy'] = POLICY;
      return { raw: page };
    },
  });
}
