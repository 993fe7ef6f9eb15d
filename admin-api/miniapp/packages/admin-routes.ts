/**
 * Endpoints for administrators: packages of all accounts that wait for a review, and decisions on
 * them.
 */
import { Type } from '@sinclair/typebox';
import { uploadsIn } from '../../../core/store/package-reads.ts';
import { parseId, type Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import { replyWithList } from '../../http/list-reply.ts';
import { pageQuery } from '../../http/lists.ts';
import { route } from '../../http/route.ts';
import { didYouMean } from '../audit/did-you-mean.ts';
import { RULES as TABLE } from '../audit/rules.ts';
import { changeUploadState, reinstateApp, suspendApp } from './decisions.ts';
import { anyUpload } from './owned.ts';
import type { PackageBlobs } from './package-blobs.ts';
import { RULES } from './paths.ts';
import {
  appOnlyResponse,
  approveBody,
  queueResponse,
  rejectBody,
  suspendBody,
  uploadBrief,
  uploadResponse,
} from './schema.ts';
import { partOfUploads, report, viewQueued, viewReport } from './view.ts';

const QUEUE = '/api/dev/admin/queue';
const UPLOAD = '/api/dev/admin/uploads/{upload_id}';
const APP = '/api/dev/admin/apps/{app_id}';

const ADMIN = { tag: 'packages', scope: 'packages', admin: true } as const;
const uploadBriefResponse = Type.Object({ upload: uploadBrief });

export function packageAdminRoutes(services: Services, blobs: PackageBlobs) {
  const { reader } = services;
  return [
    route({
      ...ADMIN,
      operationId: 'listReviewQueue',
      method: 'GET',
      path: QUEUE,
      summary: 'List the packages that wait for a review',
      description: 'Oldest first, of all accounts. For administrators.',
      example: { command: 'waypost pkg queue' },
      query: pageQuery,
      response: queueResponse,
      run: (context) =>
        replyWithList(services.streams, context, 'uploads', {
          read: (page) => partOfUploads(page, (after, limit) => uploadsIn(reader, 'in_review', after, limit)),
          view: (row) => viewQueued(reader, row),
        }),
    }),
    route({
      ...ADMIN,
      operationId: 'getAnyUpload',
      method: 'GET',
      path: UPLOAD,
      summary: 'Get a package of any account and all findings',
      description: 'The response is text for people if Accept requests text/plain.',
      example: { command: 'waypost pkg review 17' },
      response: uploadResponse,
      responseType: 'text/plain',
      faults: { 404: ['no_such_upload'] },
      async run(context) {
        return report(context, await viewReport(reader, anyUpload(reader, parseId(context.params.upload_id))));
      },
    }),
    route({
      ...ADMIN,
      operationId: 'downloadPackage',
      method: 'GET',
      path: `${UPLOAD}/package`,
      summary: 'Download the archive of a package',
      description: 'As it was uploaded. For administrators, who review it.',
      responseType: 'application/octet-stream',
      faults: { 404: ['no_such_upload'], 503: ['package_unavailable'] },
      async run({ params, headers }) {
        const upload = anyUpload(reader, parseId(params.upload_id));
        await blobs.fetch(upload.sha256);
        headers['Content-Type'] = 'application/octet-stream';
        headers['Content-Disposition'] = `attachment; filename="${upload.id}.pkg"`;
        return { raw: blobs.content(upload.sha256) };
      },
    }),
    route({
      ...ADMIN,
      operationId: 'approveUpload',
      method: 'POST',
      path: `${UPLOAD}/approve`,
      summary: 'Approve a package that is in review or suspended',
      description: 'It can then be published; if the service publishes automatically, it is.',
      example: { body: { reason: 'The network access is needed for sync.' }, command: 'waypost pkg approve 17' },
      body: approveBody,
      bodyOptional: true,
      response: uploadBriefResponse,
      faults: { 404: ['no_such_upload'], 409: ['wrong_state', 'version_superseded', 'app_suspended'] },
      run: (context) =>
        changeUploadState(
          services,
          context,
          (draft) => anyUpload(draft, parseId(context.params.upload_id)),
          'approved',
          context.body,
        ),
    }),
    route({
      ...ADMIN,
      operationId: 'rejectUpload',
      method: 'POST',
      path: `${UPLOAD}/reject`,
      summary: 'Reject a package that is in review or approved',
      description: 'Its developer sees `reason`, and `codes` as findings.',
      example: {
        body: { reason: 'It sends contacts away.', codes: ['direct_network'] },
        command: 'waypost pkg reject 17 --reason "It sends contacts away." --code direct_network',
      },
      body: rejectBody,
      response: uploadBriefResponse,
      faults: { 404: ['no_such_upload'], 409: ['wrong_state'] },
      run(context) {
        requireCodes(context.body.codes ?? []);
        return changeUploadState(
          services,
          context,
          (draft) => anyUpload(draft, parseId(context.params.upload_id)),
          'rejected',
          context.body,
        );
      },
    }),
    route({
      ...ADMIN,
      operationId: 'suspendUpload',
      method: 'POST',
      path: `${UPLOAD}/suspend`,
      summary: 'Suspend a package that is approved or published',
      description: 'A published package leaves the store at once. Its developer sees `reason`.',
      example: { body: { reason: 'It crashes.' }, command: 'waypost pkg suspend 17 --reason "It crashes."' },
      body: suspendBody,
      response: uploadBriefResponse,
      faults: { 404: ['no_such_upload'], 409: ['wrong_state'] },
      run: (context) =>
        changeUploadState(
          services,
          context,
          (draft) => anyUpload(draft, parseId(context.params.upload_id)),
          'suspended',
          context.body,
        ),
    }),
    route({
      ...ADMIN,
      operationId: 'suspendApp',
      method: 'POST',
      path: `${APP}/suspend`,
      summary: 'Suspend an app with its published, approved and future packages',
      description:
        'They leave the store at once, and new packages of the app are suspended as well. Its developer sees `reason`.',
      example: {
        body: { reason: 'Complaints.' },
        command: 'waypost pkg suspend com.example.notes --reason "Complaints."',
      },
      body: suspendBody,
      response: appOnlyResponse,
      faults: { 404: ['no_such_app'] },
      run: (context) => suspendApp(services, context, context.params.app_id, context.body.reason),
    }),
    route({
      ...ADMIN,
      operationId: 'reinstateApp',
      method: 'POST',
      path: `${APP}/reinstate`,
      summary: 'End the suspension of an app',
      description: 'Its packages stay suspended until each of them is approved.',
      example: { command: 'waypost pkg reinstate com.example.notes' },
      response: appOnlyResponse,
      faults: { 404: ['no_such_app'] },
      run: (context) => reinstateApp(services, context, context.params.app_id),
    }),
  ];
}

/**
 * Throws HttpError 422 for an unknown code: a developer must find each code on the page of rules.
 */
function requireCodes(codes: readonly string[]): void {
  const ruleCodes = Object.keys(TABLE);
  for (const [i, code] of codes.entries())
    if (!Object.hasOwn(TABLE, code))
      throw new HttpError(
        422,
        'validation',
        `There is no rule "${code}"; ${RULES} lists all rules.${didYouMean(code, ruleCodes)}`,
        {
          pointer: `/codes/${i}`,
        },
      );
}
