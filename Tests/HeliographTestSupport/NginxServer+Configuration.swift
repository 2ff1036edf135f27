import Foundation

extension NginxServer {
  /// What nginx is told: one process unless it can reload, everything below one folder.
  package static func configuration(_ folder: URL, _ ports: Ports, _ upstream: UInt16?, canReload: Bool) throws
    -> String
  {
    let keys = try Certificates.folder.get().path
    func certificate(_ name: String) -> String {
      "ssl_certificate \(keys)/\(name).pem; ssl_certificate_key \(keys)/\(name).key;"
    }
    // Below the second, a server that neither goes on nor closes is not waited for.
    let upstreamLocations = upstream.map {
      """
      location /upstream/ { proxy_pass http://127.0.0.1:\($0)/; }
      location /hasty/ { proxy_pass http://127.0.0.1:\($0)/; proxy_read_timeout 2s; }
      location /passed/ { proxy_pass http://127.0.0.1:\($0)/; proxy_request_buffering off; client_body_timeout 1h; }
      """
    }
    try Data().write(to: folder.appendingPathComponent("users"))
    // As root, its worker would be another user, who may not write here.
    let user = geteuid() == 0 ? "user root;" : ""
    let locations = """
      location = / { return 200 $word; }
      location /files/ { root \(folder.path); dav_methods PUT; default_type application/octet-stream; }
      location /text/ { alias \(folder.path)/files/; default_type text/plain; }
      location = /upload { client_max_body_size 1k; dav_methods PUT; }
      location = /denied { client_max_body_size 1; }
      location = /private { auth_basic here; auth_basic_user_file users; }
      location = /moved { return 302 /text/fox; }
      location = /kept { return 307 /upstream/echo; }
      location = /nothing { return 204; }
      location = /refused { return 413; }
      location = /cut { return 444; }
      location /posts/ { proxy_pass http://127.0.0.1:\(ports.open)/processed/; }
      location /processed/ { access_log processed.log path; return 200 $request_uri; }
      \(upstreamLocations ?? "")
      """
    return """
      \(user) daemon off; master_process \(canReload ? "on" : "off"); pid nginx.pid; error_log stderr notice;
      events { worker_connections 512; }
      http {
        log_format path $request_uri;
        access_log off; default_type text/plain; client_max_body_size 64m; server_name_in_redirect off;
        absolute_redirect off;
        reset_timedout_connection on;
        client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
        gzip on; gzip_min_length 100; gzip_types text/plain;
        proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
        add_header X-Connection $connection always;
        add_header X-Protocol $server_protocol always;
        \(certificate("site"))
        server { listen 127.0.0.1:\(ports.secure) ssl http2; set $word secure; \(locations) }
        server { listen 127.0.0.1:\(ports.brief) ssl http2; keepalive_requests 3; set $word brief; \(locations) }
        server { listen 127.0.0.1:\(ports.few) ssl http2; keepalive_requests 10; set $word few; \(locations) }
        server { listen 127.0.0.1:\(ports.many) ssl http2; keepalive_requests 100; set $word many; \(locations) }
        server {
          listen 127.0.0.1:\(ports.client) ssl; ssl_verify_client on; ssl_client_certificate \(keys)/ca.pem;
          set $word $ssl_client_s_dn; \(locations)
        }
        server { listen 127.0.0.1:\(ports.expired) ssl; \(certificate("expired")) set $word late; \(locations) }
        server { listen 127.0.0.1:\(ports.foreign) ssl; \(certificate("foreign")) set $word foreign; \(locations) }
        server { listen unix:\(folder.path)/nginx.sock; set $word unix; \(locations) }
        server { listen 127.0.0.1:\(ports.plain); keepalive_requests 3; set $word plain; \(locations) }
        server { listen 127.0.0.1:\(ports.open); set $word open; \(locations) }
      }

      """
  }
}
