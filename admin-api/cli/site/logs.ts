/** `waypost logs`: where the request logs of a domain are delivered. */
import { type Command, Option } from 'commander';
import { CLIENT_ADDRESSES, LOG_FIELDS, type LogField } from '../../../core/site/logs/document.ts';
import type { ApiBody, ApiResponse } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { count, shown } from '../base/table.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';
import { ifUnchanged, PROXY } from './document.ts';

const LOGS = `${PROXY}/logs` as const;

type Settings = ApiResponse<'getLogs'>;

interface SetOptions {
  readonly receiver?: string;
  readonly authorizationFile?: string;
  readonly signingSecretFile?: string;
  readonly bucket?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly prefix?: string;
  readonly pathStyle?: boolean;
  readonly accessKey?: string;
  readonly secretKeyFile?: string;
  readonly sample?: number;
  readonly fields?: LogField[];
  readonly clientAddress?: Settings['client_address'];
}

function share(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1) return value;
  throw new CliError('usage', `A sample is above 0 and at most 1, not ${text}: 0.1 is one request in ten.`);
}

const SET_OPTIONS = [
  option('--receiver <url>', 'an https URL that receives batches'),
  option('--authorization-file <file>', 'a file with the value of the field Authorization'),
  option('--signing-secret-file <file>', 'a file with the secret that signs batches: "whsec_" and base64'),
  new Option('--bucket <name>', 'a bucket of an S3-compatible service').conflicts('receiver'),
  option('--endpoint <url>', 'the https URL of the service'),
  option('--region <region>', 'the region of the bucket'),
  option('--prefix <prefix>', 'what keys begin with, such as "logs/"'),
  option('--path-style', 'the bucket is in the path of URLs'),
  option('--access-key <id>', 'the id of the access key'),
  option('--secret-key-file <file>', 'a file with the secret of the access key'),
  option('--sample <share>', 'the share of the requests, above 0 and at most 1').argParser(share),
  new Option('--fields <field...>', 'the fields of a line').choices(LOG_FIELDS),
  new Option('--client-address <form>', 'the client address in a line').choices(CLIENT_ADDRESSES),
];

export function addLogsCommands(program: Command, context: CommandContext): void {
  const group = addAccountGroup(program, 'logs', 'the request logs of a domain: where they are delivered', [
    'waypost logs set example.com --receiver https://logs.example.com/waypost --sample 0.1',
    'waypost logs test example.com',
    'waypost logs state example.com',
  ]);
  addVerb(group, context, {
    usage: 'get <domain>',
    about: 'show where the logs of a domain are delivered',
    examples: ['waypost logs get example.com'],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      call.show(...describeLogs(domain, await readLogs(call, domain)));
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'set <domain>',
    about: 'deliver the logs of a domain; options that are left out stay as they are',
    options: SET_OPTIONS,
    examples: [
      'waypost logs set example.com --receiver https://logs.example.com/waypost --sample 0.1',
      'waypost logs set example.com --fields time status path ms --client-address truncated',
    ],
    async run(call: Call<SetOptions>, [domainName]) {
      const domain = await call.domain(domainName);
      const before = await readLogs(call, domain);
      await replaceLogs(call, domain, before, await settingsOf(call.options, before));
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'off <domain>',
    about: 'stop delivering the logs of a domain; the settings stay',
    examples: ['waypost logs off example.com'],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      const { ok: _, ...before } = await readLogs(call, domain);
      await replaceLogs(call, domain, before, { ...before, enabled: false });
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'test <domain>',
    about: 'send a line to the receiver now; the exit code is 1 if it is not accepted',
    examples: ['waypost logs test example.com'],
    async run(call, [domainName]) {
      const { id: domain_id } = await call.domain(domainName);
      const body = await call.api.POST(`${LOGS}/test`, { params: { path: { domain_id } } });
      const result = body.delivered ? 'accepted' : `not accepted: ${shown(body.error)}`;
      call.show(body, `${result} after ${body.duration_ms} ms`);
      return body.delivered;
    },
  });
  addVerb(group, context, {
    usage: 'state <domain>',
    about: 'show for each node what was delivered and dropped, and the last error',
    examples: ['waypost logs state example.com'],
    async run(call, [domainName]) {
      const { id: domain_id, domain } = await call.domain(domainName);
      const body = await call.api.GET(`${LOGS}/state`, { params: { path: { domain_id } } });
      call.show(
        body,
        `${domain}: logs of ${count(body.nodes.length, 'node')}`,
        ...body.nodes.map(describeNode),
        ...body.missing_nodes.map((node) => `  ${shown(node)}  does not answer`),
      );
      return true;
    },
  });
}

const readLogs = ({ api }: Call, { id }: Domain) => api.GET(LOGS, { params: { path: { domain_id: id } } });

/** Fails if the settings have changed since `before` was read. */
async function replaceLogs(call: Call, domain: Domain, before: Settings, body: ApiBody<'setLogs'>): Promise<void> {
  const changed = await call.api.PUT(LOGS, { params: ifUnchanged(domain, before), body });
  call.show(...describeLogs(domain, changed));
}

async function settingsOf(options: SetOptions, before: Settings): Promise<ApiBody<'setLogs'>> {
  const { receiver, bucket, sample, fields, clientAddress } = options;
  const url = receiver ?? (bucket === undefined ? before.endpoint?.url : undefined);
  return {
    enabled: true,
    endpoint:
      url === undefined
        ? null
        : {
            url,
            authorization: await secretOf(options.authorizationFile),
            signing_secret: await secretOf(options.signingSecretFile),
          },
    bucket: url === undefined ? await bucketOf(options, before.bucket) : null,
    sample: sample ?? before.sample,
    fields: fields ?? before.fields,
    client_address: clientAddress ?? before.client_address,
  };
}

/** The daemon reports the fields that are missing. */
async function bucketOf(options: SetOptions, before: Settings['bucket']) {
  return {
    endpoint: options.endpoint ?? before?.endpoint,
    region: options.region ?? before?.region,
    name: options.bucket ?? before?.name,
    prefix: options.prefix ?? before?.prefix,
    path_style: options.pathStyle ?? before?.path_style,
    access_key: options.accessKey ?? before?.access_key,
    secret_key: await secretOf(options.secretKeyFile),
  } as NonNullable<ApiBody<'setLogs'>['bucket']>;
}

/** Secrets are in files, because other users of the machine can see command-line arguments. */
async function secretOf(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : (await readText(file)).trim();
}

function describeLogs<T extends Settings>({ domain }: Domain, body: T): [T, string, ...string[]] {
  const { endpoint, bucket } = body;
  const destination =
    endpoint !== null
      ? shown(endpoint.url)
      : bucket !== null
        ? `bucket ${shown(bucket.name)} of ${shown(bucket.endpoint)}`
        : 'none';
  return [
    body,
    `${domain}: logs ${body.enabled ? 'on' : 'off'}`,
    `  destination     ${destination}`,
    `  sample          ${shown(body.sample)}`,
    `  client address  ${shown(body.client_address)}`,
    `  fields          ${shown(body.fields)}`,
  ];
}

function describeNode(node: ApiResponse<'getLogsState'>['nodes'][number]): string {
  const error = node.last_error;
  const lines = [
    `delivered ${shown(node.delivered_lines)}`,
    `dropped ${shown(node.dropped_lines)}`,
    `waiting ${shown(node.waiting_lines)}`,
    `last delivery ${shown(node.last_delivered_at)}`,
  ];
  return `  ${shown(node.node)}  ${lines.join(', ')}${error === null ? '' : `, last error: ${error}`}`;
}
