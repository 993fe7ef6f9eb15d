/** `waypost proxy certificate`: shows, orders and uploads the certificate of a domain. */
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { ApiClient, Change } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { addVerb, type Call, option } from '../base/verb.ts';
import { PROXY } from './document.ts';
import { describeProxy } from './proxy-status.ts';

interface CertificateOptions {
  readonly order?: boolean;
  readonly file?: string;
  readonly key?: string;
  readonly automatic?: boolean;
}

export function addProxyCertificate(proxy: Command, context: CommandContext): void {
  addVerb(proxy, context, {
    usage: 'certificate <domain>',
    about: 'show the certificate, order a new one, or upload your own',
    options: [
      new Option('--order', 'order a new certificate now').conflicts(['file', 'key', 'automatic']),
      option('--file <cert.pem>', 'your own certificate and its chain, leaf first').conflicts('automatic'),
      option('--key <key.pem>', 'the private key of the certificate').conflicts('automatic'),
      option('--automatic', 'replace your own certificate with an automatic one'),
    ],
    examples: [
      'waypost proxy certificate example.com',
      'waypost proxy certificate example.com --order',
      'waypost proxy certificate example.com --file fullchain.pem --key privkey.pem',
      'waypost proxy certificate example.com --automatic',
    ],
    async run(call: Call<CertificateOptions>, [domainName]) {
      // Reads the files first, so that their errors are reported before any request.
      const request = await certificateRequest(call.options);
      const { id: domain_id } = await call.domain(domainName);
      const body = await request(call.api, { path: { domain_id } });
      call.show(body, ...describeProxy(body));
      return true;
    },
  });
}

const CERTIFICATE = `${PROXY}/certificate` as const;

type Send = (
  api: ApiClient,
  params: { readonly path: { readonly domain_id: number } },
) => Promise<ApiResponse<'getProxy'> & Change>;

async function certificateRequest({ order, file, key, automatic }: CertificateOptions): Promise<Send> {
  if (order) return (api, params) => api.POST(CERTIFICATE, { params });
  if (automatic) return (api, params) => api.DELETE(CERTIFICATE, { params });
  if (file === undefined && key === undefined) return (api, params) => api.GET(PROXY, { params });
  if (file === undefined || key === undefined) {
    throw new CliError('usage', 'A certificate of your own needs --file and --key.');
  }
  const [certificate, private_key] = await Promise.all([readPem(file), readPem(key)]);
  return (api, params) => api.PUT(CERTIFICATE, { params, body: { certificate, private_key } });
}

/** Maximum size, larger than any chain; prevents the upload of a wrong file. */
const LONGEST_PEM = 1 << 20;

async function readPem(file: string): Promise<string> {
  const text = await readFile(file, 'latin1').catch((error: unknown) => {
    throw new CliError('unreadable', `${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  if (text.length <= LONGEST_PEM && text.includes('-----BEGIN ')) return text;
  throw new CliError('not_pem', `${file} is not in PEM form.`, {
    next: 'Convert it: "openssl x509 -inform DER -in FILE" for a certificate, "openssl pkey -inform DER -in FILE" for a key.',
  });
}
