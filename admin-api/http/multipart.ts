/** Reads multipart/form-data (RFC 7578) as a stream: collects the fields and passes on the file. */
import { once } from 'node:events';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { HttpError } from './errors.ts';

interface FormOptions {
  /** Name of the file part, which needs no file name. */
  readonly file: string;
  /** Names of the field parts, which may have a file name. */
  readonly fields: readonly string[];
  /** Maximum size of a field in bytes. */
  readonly fieldSize: number;
  /**
   * Receives the file piece by piece. Its exception is rethrown after the whole body has been read.
   */
  writePiece(piece: Buffer): Promise<void>;
}

interface Form {
  /** The fields, each once. */
  readonly fields: ReadonlyMap<string, string>;
  /** Whether the form had the file. */
  readonly hasFile: boolean;
  /** Name of the file as the client sent it; undefined: none. */
  readonly fileName: string | undefined;
}

/** Our forms have two parts; some extra parts are tolerated. */
const LIMITS = { fields: 16, files: 4, parts: 20, headerPairs: 16, headerSize: 8 * 1024 } as const;

/**
 * Other files and fields are discarded. Throws HttpError 400 for a malformed or truncated form, 422
 * for a repeated part, a field that is too long and too many parts, and the exceptions of the body.
 * An error in a part is thrown after the whole body has been read, because many clients read no
 * response while they send.
 */
export async function readForm(
  body: AsyncIterable<Buffer>,
  contentType: string,
  { file, fields: names, fieldSize, writePiece }: FormOptions,
): Promise<Form> {
  const fields = new Map<string, string>();
  let fault: unknown;
  let fileStream: BusboyFileStream | undefined;
  let fileDone: Promise<void> | undefined;
  let fileName: string | undefined;
  const form = createParser(contentType, file, names, fieldSize);
  form.on('file', (name, stream, sentName: string | undefined) => {
    // An abandoned stream emits a second error, which has no listener.
    stream.on('error', () => {});
    if (name === file && fileDone === undefined) {
      fileStream = stream;
      fileName = sentName;
      fileDone = drain(stream, writePiece).catch((error: unknown) => {
        fault ??= error;
      });
      return;
    }
    if (name === file) fault ??= repeatedPart(name);
    stream.resume();
  });
  form.on('field', (name, value, _, isTruncated) => {
    // The types of the package are wrong here.
    if (typeof name !== 'string') return;
    if (isTruncated) fault ??= fieldTooLong(name, fieldSize);
    if (fields.has(name)) fault ??= repeatedPart(name);
    fields.set(name, value);
  });
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    form.on(limit, () => {
      fault ??= new HttpError(
        422,
        'too_many_parts',
        'The form has too many parts; send only those that the endpoint documents.',
      );
    });
  const broken = new Promise<never>((_, reject) => {
    form.on('error', () => reject(malformed('it is truncated or malformed')));
  });
  broken.catch(() => {});
  try {
    for await (const piece of body)
      await Promise.race([broken, new Promise<void>((done) => form.write(piece, () => done()))]);
    const finished = once(form, 'finish');
    form.end();
    await Promise.race([broken, finished]);
  } catch (error) {
    // Ends the reader of the file, which waits for the next piece.
    fileStream?.destroy(malformed('it is truncated'));
    await fileDone;
    throw error;
  }
  await fileDone;
  if (fault !== undefined) throw fault;
  return { fields, hasFile: fileDone !== undefined, fileName };
}

/** Reads to the end even after a failure: an unread file would block the rest of the form. */
async function drain(stream: BusboyFileStream, writePiece: FormOptions['writePiece']): Promise<void> {
  let failure: unknown;
  for await (const piece of stream) {
    if (failure !== undefined) continue;
    try {
      await writePiece(piece as Buffer);
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
}

function createParser(contentType: string, file: string, fields: readonly string[], fieldSize: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: (name, type, fileName) =>
        name === file ||
        // The name may be missing, although the types say otherwise.
        (!fields.includes(name ?? '') && (fileName !== undefined || type === 'application/octet-stream')),
      limits: { ...LIMITS, fieldSize },
    });
  } catch {
    throw malformed('its Content-Type has no boundary');
  }
}

const malformed = (reason: string): HttpError =>
  new HttpError(400, 'malformed_multipart', `The body is not valid multipart/form-data: ${reason}.`);

const repeatedPart = (name: string): HttpError =>
  new HttpError(422, 'repeated_part', 'A part of the form is repeated; send it once.', { pointer: pointerTo(name) });

const fieldTooLong = (name: string, bytes: number): HttpError =>
  new HttpError(422, 'field_too_long', `A field of the form is longer than ${bytes} bytes.`, {
    pointer: pointerTo(name),
  });

/** RFC 6901. */
const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
