/** `waypost proxy certificate`: shows, orders and uploads the certificate of a domain. */
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { ApiBody } from '../../routes/routes.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { addVerb, type Call, option } from '../base/verb.ts';
import { PROXY } from './document.ts';
import { describeProxy } from './proxy-status.ts';

interface CertificateOptions {
  readonly order?: boolean;
  readonly file?: string;
  readonly key?: string;
  readonly rsaFile?: string;
  readonly rsaKey?: string;
  readonly automatic?: boolean;
}

export function addProxyCertificate(proxy: Command, context: CommandContext): void {
  addVerb(proxy, context, {
    usage: 'certificate <domain>',
    about: 'show the certificate, order a new one, or upload your own',
    options: [
      new Option('--order', 'order a new certificate now').conflicts(['file', 'key', 'rsaFile', 'rsaKey', 'automatic']),
      option('--file <cert.pem>', 'your own certificate and its chain, leaf first').conflicts('automatic'),
      option('--key <key.pem>', 'the private key of the certificate').conflicts('automatic'),
      option('--rsa-file <cert.pem>', 'a second certificate with an RSA key, for clients without ECDSA').conflicts(
        'automatic',
      ),
      option('--rsa-key <key.pem>', 'the private key of the second certificate').conflicts('automatic'),
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
      const own = await readOwn(call.options);
      const params = { path: { domain_id: (await call.domain(domainName)).id } };
      const { api, options } = call;
      const body = options.order
        ? await api.POST(CERTIFICATE, { params })
        : options.automatic
          ? await api.DELETE(CERTIFICATE, { params })
          : own !== undefined
            ? await api.PUT(CERTIFICATE, { params, body: own })
            : await api.GET(PROXY, { params });
      call.show(body, ...describeProxy(body));
      return true;
    },
  });
}

const CERTIFICATE = `${PROXY}/certificate` as const;

/** Undefined: no files are given. */
async function readOwn({
  file,
  key,
  rsaFile,
  rsaKey,
}: CertificateOptions): Promise<ApiBody<'setCertificate'> | undefined> {
  if (file === undefined && key === undefined && rsaFile === undefined && rsaKey === undefined) return undefined;
  if (file === undefined || key === undefined)
    throw new CliError('usage', 'A certificate of your own needs --file and --key.');
  if ((rsaFile === undefined) !== (rsaKey === undefined))
    throw new CliError('usage', 'A second certificate needs --rsa-file and --rsa-key.');
  const [certificate, private_key] = await Promise.all([readPem(file), readPem(key)]);
  if (rsaFile === undefined || rsaKey === undefined) return { certificate, private_key };
  const [rsa_certificate, rsa_private_key] = await Promise.all([readPem(rsaFile), readPem(rsaKey)]);
  return { certificate, private_key, rsa_certificate, rsa_private_key };
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
