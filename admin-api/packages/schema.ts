/** Shapes of apps and their packages. */
import { type TProperties, Type } from '@sinclair/typebox';
import { UPLOAD_STATES } from '../../core/store/rows.ts';
import { bodySchema } from '../http/json-body.ts';
import { count, id, line, list, nextCursorSchema, oneOf, orNull, text, time } from '../http/schema.ts';

/** Characters of the notes. */
export const LONGEST_NOTES = 4000;

export const packageForm = Type.Object({
  package: Type.Unsafe<Uint8Array>({
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'the package: a ZIP archive, .pkg by its name, with manifest.json in its root',
  }),
  notes: Type.Optional(
    text('what whoever reviews it should know', {
      maxLength: LONGEST_NOTES,
    }),
  ),
});

const status = oneOf(UPLOAD_STATES, 'where it stands');

const summary = orNull(
  Type.Object(
    {
      errors: count('what keeps it from being published'),
      warnings: count('what should be mended'),
      notices: count('what is told only'),
      review: count('of these, what a person looks at'),
      omitted: count('of these, what is not in the list'),
    },
    { title: 'AuditSummary' },
  ),
  'how much was found, or null as long as there is no verdict',
);

const type = oneOf(['error', 'warning', 'notice'] as const);

const finding = Type.Object(
  {
    type,
    code: text('the rule, which stays as it is'),
    message: text('what is wrong here'),
    file: orNull(Type.String(), 'the file of the package, or null for the package itself'),
    line: orNull(Type.Integer({ minimum: 1 }), 'the line, from 1'),
    column: orNull(Type.Integer({ minimum: 1 }), 'the column, from 1, in UTF-16 units'),
    excerpt: orNull(Type.String(), 'what stands there'),
    fix: text('what to do instead'),
    url: text('the path where the rule is explained, on a page for browsers'),
  },
  { title: 'Finding' },
);

const rule = Type.Object(
  {
    code: text('the code of its findings'),
    type,
    review: Type.Boolean({ description: 'whether a person has to look before the package is approved' }),
    title: text('the rule in a line'),
    about: text('why it is a rule, and what exactly it looks for'),
    fix: text('what to do instead'),
    url: text('the path where it is explained, on a page for browsers'),
  },
  { title: 'Rule' },
);

export const rulesAnswer = Type.Object({ rules: list(rule, 'the rules, by their codes') });

const common = {
  id: id('the upload'),
  app_id: text('the id of the app, as the manifest has it'),
  version: text('the version, for people'),
  version_code: Type.Integer({ minimum: 1, description: 'the version, which rises with each' }),
  status,
  url: text('the path where it is to be read'),
  created_at: time('when it was uploaded'),
  updated_at: time('when its status changed last'),
} satisfies TProperties;

export const uploadBrief = Type.Object({ ...common, summary }, { title: 'UploadBrief' });

const step = Type.Object({
  status,
  at: time('when'),
  by: orNull(Type.String(), 'the username of who did it, or null for the service'),
  reason: orNull(Type.String(), 'why, where it does not say itself'),
  codes: list(Type.String(), 'codes of findings that the reason is about'),
});

const upload = Type.Object(
  {
    ...common,
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'of the package' }),
    size: count('bytes of the package'),
    notes: orNull(Type.String(), 'what was sent along, or null'),
    audit: Type.Object({ summary, findings: list(finding, 'what was found, by file and line') }),
    history: list(step, 'its way so far'),
  },
  { title: 'Upload' },
);

export const uploadAnswer = Type.Object({ upload });

const app = Type.Object(
  {
    app_id: text('the id of the app'),
    name: orNull(Type.String(), 'the name of the app'),
    audit_status: orNull(status, 'where the newest package stands, or null when there is none any more'),
    summary,
    latest: orNull(uploadBrief, 'the newest package'),
    published: orNull(uploadBrief, 'the package that is published, or null'),
    suspended: orNull(Type.String(), 'why nothing of it may be published, or null'),
    created_at: time('when its first package came'),
    updated_at: time('when anything of it changed last'),
  },
  { title: 'App' },
);

export const appsAnswer = Type.Object({ apps: list(app, 'the apps of the account'), next_cursor: nextCursorSchema });

export const appAnswer = Type.Object({
  app,
  uploads: list(uploadBrief, 'its packages, newest first'),
  next_cursor: nextCursorSchema,
});

export const appOnlyAnswer = Type.Object({ app });

export const queueAnswer = Type.Object({
  uploads: list(
    Type.Object({
      ...uploadBrief.properties,
      account_id: id('the account'),
      notes: orNull(Type.String(), 'its notes'),
    }),
    'packages in review, oldest first',
  ),
  next_cursor: nextCursorSchema,
});

const reason = line(1, 2000, 'text of one line that the developer reads');

export const rejectBody = bodySchema(
  Type.Object({
    reason,
    codes: Type.Optional(
      list(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), 'codes of findings', { maxItems: 100 }),
    ),
  }),
);

export const suspendBody = bodySchema(Type.Object({ reason }));
