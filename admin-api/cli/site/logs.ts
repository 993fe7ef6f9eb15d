/** `waypost logs`: where the request logs of a domain are delivered. */
import { type Command, Option } from 'commander';
import { CLIENT_ADDRESSES, LOG_FIELDS } from '../../../core/site/logs/document.ts';
import { asObject, asText, type Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import type { Domain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { rowsOf } from '../base/pages.ts';
import { count, shown } from '../base/table.ts';
import { readText } from '../base/text-file.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';
import { documentPath, editDocument } from './document.ts';

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
  readonly fields?: string[];
  readonly clientAddress?: string;
}

const pathOf = (domain: Domain): string => documentPath(domain, 'logs');

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
      call.show(...describeLogs(domain, await call.api.json({ method: 'GET', path: pathOf(domain) })));
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
      await replaceLogs(call, domain, (before) => settingsOf(call.options, before));
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'off <domain>',
    about: 'stop delivering the logs of a domain; the settings stay',
    examples: ['waypost logs off example.com'],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      await replaceLogs(call, domain, async (before) => ({ ...before, enabled: false }));
      return true;
    },
  });
  addVerb(group, context, {
    usage: 'test <domain>',
    about: 'send a line to the receiver now; the exit code is 1 if it is not accepted',
    examples: ['waypost logs test example.com'],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      const body = await call.api.json({ method: 'POST', path: `${pathOf(domain)}/test`, json: {} });
      const result = body.delivered === true ? 'accepted' : `not accepted: ${shown(body.error)}`;
      call.show(body, `${result} after ${body.duration_ms} ms`);
      return body.delivered === true;
    },
  });
  addVerb(group, context, {
    usage: 'state <domain>',
    about: 'show for each node what was delivered and dropped, and the last error',
    examples: ['waypost logs state example.com'],
    async run(call, [domainName]) {
      const domain = await call.domain(domainName);
      const body = await call.api.json({ method: 'GET', path: `${pathOf(domain)}/state` });
      const missing = Array.isArray(body.missing_nodes) ? body.missing_nodes : [];
      call.show(
        body,
        `${domain.domain}: logs of ${count(rowsOf(body.nodes).length, 'node')}`,
        ...rowsOf(body.nodes).map(describeNode),
        ...missing.map((node) => `  ${shown(node)}  does not answer`),
      );
      return true;
    },
  });
}

/** Fails if the settings change in between. */
async function replaceLogs(call: Call, domain: Domain, replace: (before: Json) => Promise<Json>): Promise<void> {
  call.show(...describeLogs(domain, await editDocument(call, pathOf(domain), replace)));
}

async function settingsOf(options: SetOptions, before: Json): Promise<Json> {
  const { receiver, bucket, sample, fields, clientAddress } = options;
  const endpointBefore = asObject(before.endpoint);
  const bucketBefore = asObject(before.bucket);
  const isEndpoint = receiver !== undefined || (bucket === undefined && endpointBefore !== undefined);
  return {
    enabled: true,
    endpoint: isEndpoint
      ? {
          url: receiver ?? endpointBefore?.url,
          authorization: await secretOf(options.authorizationFile),
          signing_secret: await secretOf(options.signingSecretFile),
        }
      : null,
    bucket: isEndpoint
      ? null
      : {
          endpoint: options.endpoint ?? bucketBefore?.endpoint,
          region: options.region ?? bucketBefore?.region,
          name: bucket ?? bucketBefore?.name,
          prefix: options.prefix ?? bucketBefore?.prefix,
          path_style: options.pathStyle ?? bucketBefore?.path_style,
          access_key: options.accessKey ?? bucketBefore?.access_key,
          secret_key: await secretOf(options.secretKeyFile),
        },
    sample: sample ?? before.sample,
    fields: fields ?? before.fields,
    client_address: clientAddress ?? before.client_address,
  };
}

/** Secrets are in files, because other users of the machine can see command-line arguments. */
async function secretOf(file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : (await readText(file)).trim();
}

function describeLogs({ domain }: Domain, body: Json): [Json, string, ...string[]] {
  const endpoint = asObject(body.endpoint);
  const bucket = asObject(body.bucket);
  const destination =
    endpoint !== undefined
      ? shown(endpoint.url)
      : bucket !== undefined
        ? `bucket ${shown(bucket.name)} of ${shown(bucket.endpoint)}`
        : 'none';
  return [
    body,
    `${domain}: logs ${body.enabled === true ? 'on' : 'off'}`,
    `  destination     ${destination}`,
    `  sample          ${shown(body.sample)}`,
    `  client address  ${shown(body.client_address)}`,
    `  fields          ${shown(body.fields)}`,
  ];
}

function describeNode(node: Json): string {
  const error = asText(node.last_error);
  const lines = [
    `delivered ${shown(node.delivered_lines)}`,
    `dropped ${shown(node.dropped_lines)}`,
    `waiting ${shown(node.waiting_lines)}`,
    `last delivery ${shown(node.last_delivered_at)}`,
  ];
  return `  ${shown(node.node)}  ${lines.join(', ')}${error === undefined ? '' : `, last error: ${error}`}`;
}
