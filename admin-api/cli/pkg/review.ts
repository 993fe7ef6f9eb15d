/** `waypost pkg queue|review|approve|reject|suspend|reinstate`: commands for administrators. */
import type { Command } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import { pages } from '../base/pages.ts';
import { type Columns, shown } from '../base/table.ts';
import { addVerb, type Call, option } from '../base/verb.ts';
import { formatUpload, showUpload } from './upload.ts';

interface Reason {
  readonly reason: string;
  readonly code?: string[];
}

const UPLOAD = '/api/dev/admin/uploads/{upload_id}';
const APP = '/api/dev/admin/apps/{app_id}';

const QUEUE: Columns<ApiResponse<'listReviewQueue'>['uploads'][number]> = {
  ID: 'id',
  APP: 'app_id',
  VERSION: 'version',
  ACCOUNT: 'account_id',
  FOUND: ({ summary }) => `${shown(summary?.review)} to review`,
  UPLOADED: 'created_at',
  NOTES: 'notes',
};

const REASON = option('--reason <text>', 'the reason; shown to the developer').makeOptionMandatory();

/** The id of an app contains a dot; the id of an upload does not. */
const isApp = (id: string): boolean => id.includes('.');

export function addPkgReviewCommands(parent: Command, context: CommandContext): void {
  addVerb(parent, context, {
    usage: 'queue',
    about: 'list the packages that wait for a review, oldest first (administrators)',
    examples: ['waypost pkg queue'],
    async run(call) {
      await call.list(pages(call.api, '/api/dev/admin/queue', 'uploads'), QUEUE, 'No packages wait for a review.');
      return true;
    },
  });
  addVerb(parent, context, {
    usage: 'review <upload>',
    about: 'show a package of any account and all findings (administrators)',
    examples: ['waypost pkg review 57'],
    async run(call, [id]) {
      await showUpload(call, UPLOAD, id);
      return true;
    },
  });
  addVerb(parent, context, {
    usage: 'approve <upload>',
    about: 'approve a package that is in review or suspended (administrators)',
    options: [option('--reason <text>', 'a note, which is shown to the developer')],
    examples: ['waypost pkg approve 57'],
    async run(call: Call<Partial<Reason>>, [id]) {
      const { reason } = call.options;
      const result = await call.api.POST(`${UPLOAD}/approve`, {
        params: { path: { upload_id: id } },
        body: reason === undefined ? undefined : { reason },
      });
      call.show(result, `Approved: ${formatUpload(result.upload)}`);
      return true;
    },
  });
  addVerb(parent, context, {
    usage: 'reject <upload>',
    about: 'reject a package (administrators)',
    options: [REASON, option('--code <code...>', 'the codes of the findings that are the reason')],
    examples: ['waypost pkg reject 57 --reason "It sends contacts away." --code direct_network'],
    async run(call: Call<Reason>, [id]) {
      const { reason, code: codes } = call.options;
      const params = { path: { upload_id: id } };
      const result = await call.api.POST(`${UPLOAD}/reject`, { params, body: { reason, codes } });
      call.show(result, `Rejected: ${formatUpload(result.upload)}`);
      return true;
    },
  });
  addVerb(parent, context, {
    usage: 'suspend <upload-or-app>',
    about: 'suspend a package, or an app with its published, approved and future packages (administrators)',
    options: [REASON],
    examples: [
      'waypost pkg suspend 57 --reason "It crashes."',
      'waypost pkg suspend com.example.notes --reason "Complaints."',
    ],
    async run(call: Call<Reason>, [id]) {
      const body = { reason: call.options.reason };
      const result = isApp(id)
        ? await call.api.POST(`${APP}/suspend`, { params: { path: { app_id: id } }, body })
        : await call.api.POST(`${UPLOAD}/suspend`, { params: { path: { upload_id: id } }, body });
      call.show(result, `Suspended: ${id}`);
      return true;
    },
  });
  addVerb(parent, context, {
    usage: 'reinstate <app>',
    about: 'end the suspension of an app; each of its suspended packages must be approved again (administrators)',
    examples: ['waypost pkg reinstate com.example.notes'],
    async run(call, [id]) {
      const result = await call.api.POST(`${APP}/reinstate`, { params: { path: { app_id: id } } });
      call.show(result, `Reinstated: ${id}`);
      return true;
    },
  });
}
