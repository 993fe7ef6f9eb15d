/**
 * A full and a resumed handshake in memory, with data in both directions, before a thread uses
 * OpenSSL through koffi. It finds an OpenSSL whose functions behave differently. If it fails, the
 * thread uses node:tls.
 */
import { ClientHello, HELLO } from './client-hello.ts';
import { TlsContext } from './context.ts';
import { Credentials } from './credentials.ts';
import type { Openssl } from './native/library.ts';
import { Memory } from './native/memory.ts';
import { MemoryClient } from './native/memory-client.ts';
import { type Handle, Objects, shareObjects } from './native/ownership.ts';
import type { QuickTools } from './native/quick-credential.ts';

const NAME = 'self-test.invalid';
/** A certificate for self-test.invalid, and its key, which signs nothing else: DER in base64. */
const CERTIFICATE =
  'MIIBRjCB7aADAgECAgEBMAoGCCqGSM49BAMCMBwxGjAYBgNVBAMMEXNlbGYtdGVzdC5pbnZhbGlkMB4XDTE2MTIwMT' +
  'EyNTIxOVoXDTQ4MTAyNDEyNTIxOVowHDEaMBgGA1UEAwwRc2VsZi10ZXN0LmludmFsaWQwWTATBgcqhkjOPQIBBggq' +
  'hkjOPQMBBwNCAATSUmyPDqOohKCGb0D2nywEcZMBbWCYYnRRJv2aZRglWIuNA9hGyqWR1yKCEk1OrfpWpbUwzSr/AW' +
  'SNS4OJULA6oyAwHjAcBgNVHREEFTATghFzZWxmLXRlc3QuaW52YWxpZDAKBggqhkjOPQQDAgNIADBFAiBbnDSzqylV' +
  'Ru63DdhYQK+4oG0d8Lc45gwCoeoGnuZnwAIhAOkP9bq5TwERPUe+fSxyESe0SNWm2y7I20gLE2mjT3X3';
const KEY =
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg98AD0HuXzcu3hLj7FWJPqYVbKjPm1ozp+PVnrKn8d/' +
  'ihRANCAATSUmyPDqOohKCGb0D2nywEcZMBbWCYYnRRJv2aZRglWIuNA9hGyqWR1yKCEk1OrfpWpbUwzSr/AWSNS4OJ' +
  'ULA6';
const pem = (type: string, base64: string): string => `-----BEGIN ${type}-----\n${base64}\n-----END ${type}-----\n`;
const DER = Buffer.from(CERTIFICATE, 'base64');
const SERVED = { cert: pem('CERTIFICATE', CERTIFICATE), key: pem('PRIVATE KEY', KEY) };
/** Data of each direction. */
const [QUESTION, ANSWER] = [Buffer.from('question'), Buffer.from('answer')];
/** Objects that a test has at a time, and some more. */
const CAPACITY = 64;
/** Seconds. */
const LIFETIME = 60;

/** Throws an Error that says what failed. Blocks the thread for some milliseconds. */
export function testOpenssl(tools: QuickTools | null, openssl?: Openssl): void {
  const objects = new Objects(shareObjects(CAPACITY), openssl);
  const context = new TlsContext(objects, LIFETIME);
  const credentials = new Credentials(objects, 1, tools);
  let session: Handle<'SSL_SESSION'> | null = null;
  try {
    context.ssl.setTickets({ current: new Uint8Array(48), previous: null });
    session = visit(objects, context, credentials, null);
    visit(objects, context, credentials, session).free();
  } catch (error) {
    throw new Error(`self-test of OpenSSL: ${(error as Error).message}`);
  } finally {
    session?.free();
    credentials.close();
    context.close();
  }
}

/** A connection. Returns what resumes it, which the caller frees. */
function visit(
  objects: Objects,
  context: TlsContext,
  credentials: Credentials,
  session: Handle<'SSL_SESSION'> | null,
): Handle<'SSL_SESSION'> {
  const server = credentials.open(context.ssl, SERVED);
  let client: MemoryClient | null = null;
  try {
    context.bind(server, NAME);
    client = new MemoryClient(objects, server, { serverName: NAME, protocol: 'h2', session });
    const [bytes, hello] = [client.sendHello(), new ClientHello()];
    check(hello.read(bytes, bytes.length) === HELLO.WHOLE, 'the ClientHello is unusual');
    check(hello.serverName === NAME && hello.offersHttp2, 'the ClientHello lacks the server name or the protocol');
    context.selectsHttp2 = true;
    client.shakeHands();
    check(client.protocol === 'h2', 'ALPN selected another protocol');
    check(client.serverCertificate(DER.length)?.equals(DER) === true, 'the server sent another certificate');
    check(server.isTls13, 'another version of TLS');
    check(
      server.isResumed === (session !== null),
      session === null ? 'a new client resumed a session' : 'the session was not resumed',
    );
    context.ssl.watchMessages(server);
    client.send(QUESTION);
    const received = new Memory(QUESTION.length);
    const length = server.read(received, 0);
    check(received.bytes.subarray(0, length).equals(QUESTION), 'the server received other data');
    check(server.write(ANSWER, 0) === ANSWER.length, 'the server could not write');
    check(client.receive().equals(ANSWER), 'the client received other data');
    return client.end();
  } finally {
    client?.free();
    server.free();
  }
}

function check(isRight: boolean, otherwise: string): void {
  if (!isRight) throw new Error(otherwise);
}
