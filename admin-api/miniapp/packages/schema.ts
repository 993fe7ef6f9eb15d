/** Schemas of apps and packages in requests and responses. */
import { type TProperties, Type } from '@sinclair/typebox';
import { count, id, line, list, oneOf, orNull, text, time } from '../../../core/base/schema.ts';
import { UPLOAD_STATES } from '../../../core/store/rows.ts';
import { bodySchema } from '../../http/json-body.ts';
import { pageFields } from '../../http/lists.ts';

/** Maximum characters of the notes. */
export const MAX_NOTES = 4000;

export const packageForm = Type.Object({
  package: Type.Unsafe<Uint8Array>({
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'the package: a ZIP archive with manifest.json in its root; its file name ends in .pkg',
  }),
  notes: Type.Optional(
    text('the release notes of this version', {
      maxLength: MAX_NOTES,
    }),
  ),
});

const status = oneOf(UPLOAD_STATES, 'the state of the package');

const summary = orNull(
  Type.Object(
    {
      errors: count('findings that prevent publication'),
      warnings: count('findings that should be fixed'),
      notices: count('findings for information only'),
      review: count('findings among these that need a review'),
      omitted: count('findings among these that are not in the list'),
    },
    { title: 'AuditSummary' },
  ),
  'the number of findings, or null while there is no verdict',
);

const type = oneOf(['error', 'warning', 'notice'] as const);

const finding = Type.Object(
  {
    type,
    code: text('the code of the rule; stable', { examples: ['direct_network'] }),
    message: text('the problem', { examples: ['The script opens a connection of its own.'] }),
    file: orNull(Type.String(), 'the file of the package, or null for the package itself'),
    line: orNull(Type.Integer({ minimum: 1 }), 'the line, from 1'),
    column: orNull(Type.Integer({ minimum: 1 }), 'the column, from 1, in UTF-16 units'),
    excerpt: orNull(Type.String(), 'the text at this position'),
    fix: text('how to fix it', { examples: ['Use Host.fetch.'] }),
    url: text('the path of the HTML page that explains the rule', { examples: ['/api/dev/rules#direct_network'] }),
  },
  { title: 'Finding' },
);

const rule = Type.Object(
  {
    code: text('the code of its findings', { examples: ['direct_network'] }),
    type,
    review: Type.Boolean({ description: 'whether a package with this finding needs a review' }),
    title: text('the rule in one line', { examples: ['No connections of its own'] }),
    about: text('the reason for the rule and what exactly it checks', {
      examples: ['Packages use the network through Host only, so that users can see and stop it.'],
    }),
    fix: text('how to fix it', { examples: ['Use Host.fetch.'] }),
    url: text('the path of the HTML page that explains the rule', { examples: ['/api/dev/rules#direct_network'] }),
  },
  { title: 'Rule' },
);

export const rulesResponse = Type.Object({ rules: list(rule, 'the rules, sorted by code') });

const sdk = Type.Object(
  {
    version: text('the version', { examples: ['1.0.0'] }),
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'the SHA-256 of host-sdk.js',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    size: count('the size of host-sdk.js in bytes'),
    url: text('the path of host-sdk.js', { examples: ['/api/dev/sdk/1.0.0/host-sdk.js'] }),
    typings_url: text('the path of host-sdk.d.ts, the types for TypeScript', {
      examples: ['/api/dev/sdk/1.0.0/host-sdk.d.ts'],
    }),
    background_typings_url: text('the path of background.d.ts, the types of background files', {
      examples: ['/api/dev/sdk/1.0.0/background.d.ts'],
    }),
    withdrawn: Type.Boolean({ description: 'whether new packages with this version are rejected' }),
  },
  { title: 'Sdk' },
);

export const sdksResponse = Type.Object({ sdks: list(sdk, 'the issued versions, newest first') });

const policyText = {
  version: Type.Integer({ minimum: 1, description: 'the version of the policy' }),
  sha256: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'the SHA-256 of config/sandbox-policy.json',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  content_security_policy: text('the Content-Security-Policy of every page and worker', {
    examples: ["default-src 'none'; script-src 'self'"],
  }),
} satisfies TProperties;

/** The policy is fixed, so its schema has the values. */
export const policyResponse = Type.Object({
  policy: Type.Object(
    {
      ...policyText,
      permissions_policy: text('the Permissions-Policy of every page', { examples: ['camera=(), geolocation=()'] }),
      connection_allowlist: text('the Connection-Allowlist of every page', { examples: ['()'] }),
      sandbox: text('the tokens of the sandbox, with blanks between them; the origin is opaque', {
        examples: ['allow-scripts'],
      }),
      origin: oneOf(['opaque'] as const, 'the origin of an app'),
      navigation: oneOf(['package'] as const, 'where an app may navigate: to pages of its own package'),
      background: Type.Object({
        eval: Type.Boolean({ description: 'whether a background file may make code from text' }),
        java: Type.Boolean({ description: 'whether it may reach classes of Java' }),
        load: Type.Boolean({ description: 'whether it may load files' }),
        host: oneOf(['frozen'] as const, 'whether Host can be changed'),
      }),
    },
    { title: 'SandboxPolicy' },
  ),
});

const common = {
  id: id('the upload'),
  app_id: text('the id of the app, from the manifest', { examples: ['com.example.notes'] }),
  version: text('the version, for people', { examples: ['1.2.0'] }),
  version_code: Type.Integer({ minimum: 1, description: 'the number of the version; it increases with each version' }),
  status,
  url: text('the path of this upload', { examples: ['/api/dev/uploads/17'] }),
  created_at: time('when it was uploaded'),
  updated_at: time('when its status last changed'),
} satisfies TProperties;

export const uploadBrief = Type.Object({ ...common, summary }, { title: 'UploadBrief' });

const publishedBrief = Type.Object(
  {
    ...uploadBrief.properties,
    policy: Type.Object(
      { ...policyText, url: text('the path of the whole policy', { examples: ['/api/dev/policy'] }) },
      { title: 'PolicyReference', description: 'the sandbox policy that hosts apply to the package' },
    ),
  },
  { title: 'PublishedPackage' },
);

const step = Type.Object({
  status,
  at: time('when'),
  by: orNull(Type.String(), 'the username of the account that made the step; null: the service'),
  reason: orNull(Type.String(), 'the reason; null: none was given'),
  codes: list(Type.String(), 'the codes of the findings that are the reason'),
});

const upload = Type.Object(
  {
    ...common,
    account_id: id('the account of the app'),
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'the SHA-256 of the package',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    size: count('the size of the package in bytes'),
    notes: orNull(Type.String(), 'the release notes, or null'),
    audit: Type.Object({ summary, findings: list(finding, 'the findings, sorted by file and line') }),
    history: list(step, 'the steps of the upload so far'),
  },
  { title: 'Upload' },
);

export const uploadResponse = Type.Object({ upload });

const app = Type.Object(
  {
    app_id: text('the id of the app', { examples: ['com.example.notes'] }),
    name: orNull(Type.String(), 'the name of the app'),
    audit_status: status,
    summary,
    latest: uploadBrief,
    published: orNull(publishedBrief, 'the package that is published, or null'),
    suspended: orNull(Type.String(), 'the reason for the suspension of the app, or null'),
    created_at: time('when its first package was uploaded'),
    updated_at: time('when the app or a package of it last changed'),
  },
  { title: 'App' },
);

export const appsResponse = Type.Object({ apps: list(app, 'the apps of the account'), ...pageFields });

export const appResponse = Type.Object({
  app,
  uploads: list(uploadBrief, 'its packages, newest first'),
  ...pageFields,
});

export const appOnlyResponse = Type.Object({ app });

export const queueResponse = Type.Object({
  uploads: list(
    Type.Object(
      {
        ...uploadBrief.properties,
        app_name: orNull(Type.String(), 'the name of the app'),
        account_id: id('the account'),
        username: orNull(Type.String(), 'the username of the account; null: it was deleted'),
        notes: orNull(Type.String(), 'the release notes'),
      },
      { title: 'QueuedUpload' },
    ),
    'packages in review, oldest first',
  ),
  ...pageFields,
});

const reason = line(1, 2000, 'one line of text, which is shown to the developer');

export const rejectBody = bodySchema(
  Type.Object({
    reason,
    codes: Type.Optional(
      list(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), 'codes of findings', { maxItems: 100 }),
    ),
  }),
);

/** The reason of an approval is optional. */
export const approveBody = bodySchema(Type.Object({ reason: Type.Optional(reason) }));
export const suspendBody = bodySchema(Type.Object({ reason }));
