/**
 * TLS and sockets for a client that costs little: the OpenSSL that is in node itself, called
 * through koffi. Node's own sockets take more time for a connection than a server does, and h2load
 * cannot resume a session.
 */
import koffi from 'koffi';

const own = koffi.load(null);
/** Pointers, as koffi has them. */
export type Pointer = bigint;

export const SSL_ERROR_WANT_READ = 2;
const SSL_CTRL_SET_TLSEXT_HOSTNAME = 55;
const SSL_CTRL_SET_GROUPS_LIST = 92;
const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;

const createContext = own.func('void* SSL_CTX_new(void*)');
const clientMethod = own.func('void* TLS_client_method()');
const setAlpn = own.func('int SSL_CTX_set_alpn_protos(void*, void*, uint)');
const newSsl = own.func('void* SSL_new(void*)');
const control = own.func('long SSL_ctrl(void*, int, long, str)');
const contextControl = own.func('long SSL_CTX_ctrl(void*, int, long, str)');
const setFd = own.func('int SSL_set_fd(void*, int)');
const socketCall = own.func('int socket(int, int, int)');
const connectCall = own.func('int connect(int, void*, uint)');
const fcntl = own.func('int fcntl(int, int, ...)');

export const connectTls = own.func('int SSL_connect(void*)') as (ssl: Pointer) => number;
export const errorOf = own.func('int SSL_get_error(void*, int)') as (ssl: Pointer, result: number) => number;
export const read = own.func('int SSL_read(void*, void*, int)') as (
  ssl: Pointer,
  into: Buffer,
  length: number,
) => number;
export const write = own.func('int SSL_write(void*, void*, int)') as (
  ssl: Pointer,
  from: Buffer,
  length: number,
) => number;
export const shutdown = own.func('int SSL_shutdown(void*)') as (ssl: Pointer) => number;
export const freeSsl = own.func('void SSL_free(void*)') as (ssl: Pointer) => void;
export const takeSession = own.func('void* SSL_get1_session(void*)') as (ssl: Pointer) => Pointer | null;
export const setSession = own.func('int SSL_set_session(void*, void*)') as (ssl: Pointer, session: Pointer) => number;
export const freeSession = own.func('void SSL_SESSION_free(void*)') as (session: Pointer) => void;
export const isReused = own.func('int SSL_session_reused(void*)') as (ssl: Pointer) => number;
export const closeFd = own.func('int close(int)') as (fd: number) => number;
export const poll = own.func('int poll(void*, ulong, int)') as (
  fds: Uint8Array,
  count: number,
  milliseconds: number,
) => number;

const ALPN = Buffer.from('\x02h2', 'latin1');

/**
 * For all connections: ALPN h2, nothing verified, as h2load does. `groups`: of the key exchange;
 * missing: OpenSSL's own. Throws an Error for groups that OpenSSL does not have.
 */
export function clientContext(groups?: string): Pointer {
  const context = createContext(clientMethod()) as Pointer;
  setAlpn(context, ALPN, ALPN.length);
  if (groups !== undefined && contextControl(context, SSL_CTRL_SET_GROUPS_LIST, 0, groups) !== 1)
    throw new Error(`OpenSSL does not have the groups ${groups}`);
  return context;
}

/** A connected socket of 127.0.0.1. Throws an Error. */
export function connectSocket(port: number): number {
  const fd = socketCall(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) as number;
  const address = Buffer.alloc(16);
  address.writeUInt16LE(AF_INET, 0);
  address.writeUInt16BE(port, 2);
  address.set([127, 0, 0, 1], 4);
  if (fd < 0 || connectCall(fd, address, address.length) !== 0) throw new Error(`connect: errno ${koffi.errno()}`);
  return fd;
}

export function dontBlock(fd: number): void {
  fcntl(fd, F_SETFL, 'int', O_NONBLOCK);
}

export function openSsl(context: Pointer, fd: number, serverName: string): Pointer {
  const ssl = newSsl(context) as Pointer;
  setFd(ssl, fd);
  control(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, 0, serverName);
  return ssl;
}
