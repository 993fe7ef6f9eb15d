/** Endpoints that list and serve the issued SDKs. They require no token. */
import { createHash } from 'node:crypto';
import { HttpError } from '../../http/errors.ts';
import { publicRoute, type RawReply } from '../../http/route.ts';
import { BACKGROUND_TYPINGS, ISSUED_SDKS, SDK_SCRIPT, SDK_TYPINGS } from '../sdk/issued.ts';
import { type IssuedFiles, readIssued } from '../sdk/issued-files.ts';
import { type SdkSettings, trustedSdks } from '../sdk/trust.ts';
import { SDKS } from './paths.ts';
import { sdksResponse } from './schema.ts';

/** Versions never change. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

const TYPINGS = [
  {
    operationId: 'downloadSdkTypings',
    name: SDK_TYPINGS,
    part: 'typings',
    summary: 'Download the types of an issued SDK for TypeScript',
    description: 'The declarations of the global `Host`, for editors and compilers.',
  },
  {
    operationId: 'downloadBackgroundTypings',
    name: BACKGROUND_TYPINGS,
    part: 'backgroundTypings',
    summary: 'Download the types of background files for TypeScript',
    description: 'The declarations of what scripts in the background of an app may use.',
  },
] as const;

export function sdkRoutes(settings: SdkSettings) {
  const files = new Map(ISSUED_SDKS.map(({ version }) => [version, readIssued(version)]));
  const trusted = trustedSdks(settings).slice(0, ISSUED_SDKS.length);
  const sdks = ISSUED_SDKS.map(({ version, sha256 }, i) => ({
    version,
    sha256,
    size: files.get(version)!.script.length,
    url: `${SDKS}/${version}/${SDK_SCRIPT}`,
    typings_url: `${SDKS}/${version}/${SDK_TYPINGS}`,
    background_typings_url: `${SDKS}/${version}/${BACKGROUND_TYPINGS}`,
    withdrawn: trusted[i].isWithdrawn === true,
  }));
  const tag = tagOf(Buffer.from(JSON.stringify(sdks)));
  const send = (
    part: keyof IssuedFiles,
    type: string,
    {
      params,
      headers,
    }: { readonly params: Readonly<Record<string, string>>; readonly headers: Record<string, string> },
  ): RawReply => {
    const file = files.get(params.version)?.[part];
    if (file === undefined)
      throw new HttpError(404, 'no_such_sdk', `There is no SDK of this version; ${SDKS} lists all versions.`);
    headers['Content-Type'] = type;
    headers['Cache-Control'] = IMMUTABLE;
    headers.ETag = tagOf(file);
    return { raw: file };
  };
  const described = { method: 'GET', tag: 'packages', faults: { 304: [], 404: ['no_such_sdk'] } } as const;
  return [
    publicRoute({
      operationId: 'listSdks',
      method: 'GET',
      path: SDKS,
      tag: 'packages',
      summary: 'List the issued SDKs',
      description:
        'A package contains host-sdk.js of one of them, unchanged. Versions that are not withdrawn are accepted.',
      response: sdksResponse,
      faults: { 304: [] },
      run({ headers }) {
        headers.ETag = tag;
        headers['Cache-Control'] = 'no-cache';
        return { sdks };
      },
    }),
    publicRoute({
      ...described,
      operationId: 'downloadSdk',
      path: `${SDKS}/{version}/${SDK_SCRIPT}`,
      summary: 'Download host-sdk.js of an issued SDK',
      description: 'The file never changes, so packages can contain it byte by byte.',
      responseType: 'text/javascript',
      run: (context) => send('script', 'text/javascript; charset=utf-8', context),
    }),
    ...TYPINGS.map(({ operationId, name, part, summary, description }) =>
      publicRoute({
        ...described,
        operationId,
        path: `${SDKS}/{version}/${name}`,
        summary,
        description,
        responseType: 'application/typescript',
        run: (context) => send(part, 'application/typescript; charset=utf-8', context),
      }),
    ),
  ];
}

const tagOf = (bytes: Uint8Array): string => `"${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}"`;
