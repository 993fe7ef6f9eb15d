/**
 * What every nginx of the benchmarks is set to: one process, nothing on disk, connections that
 * stay.
 */

/** `memory`: where it puts temporary files. `http`: what else stands in that block. */
export function nginxSettings(folder: string, memory: string, http: string): string {
  return `daemon off;
user root;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
worker_processes 1;
worker_rlimit_nofile 65536;
events { worker_connections 32768; use epoll; multi_accept on; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  client_max_body_size 0;
  client_body_temp_path ${memory}/body;
  proxy_temp_path ${memory}/proxy;
  fastcgi_temp_path ${memory}/fastcgi;
  uwsgi_temp_path ${memory}/uwsgi;
  scgi_temp_path ${memory}/scgi;
  open_file_cache max=1000 inactive=1h;
  open_file_cache_valid 1h;
  keepalive_timeout 3600s;
  keepalive_requests 1000000000;
${http}}
`;
}

/**
 * HTTP/2 over TLS without limits that a benchmark would meet. `inside`: what else stands in the
 * block of the server.
 */
export function nginxServer(port: number, host: string, certificate: string, key: string, inside: string): string {
  return `  http2_max_concurrent_streams 1024;
  http2_recv_timeout 3600s;
  http2_idle_timeout 3600s;
  http2_max_requests 1000000000;
  ssl_certificate ${certificate};
  ssl_certificate_key ${key};
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_ecdh_curve X25519:prime256v1:secp384r1;
  ssl_session_tickets on;
  ssl_session_timeout 1d;
  ssl_session_cache none;
  ssl_buffer_size 16k;
  server {
    listen 127.0.0.1:${port} ssl http2 backlog=4096 reuseport;
    server_name ${host};
${inside}  }
`;
}
