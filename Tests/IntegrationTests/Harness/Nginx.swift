import Glibc

/// nginx in front of a broker, as its operators would have it.
final class Nginx {
    /// Passes on as nginx does by default: HTTP/1.0, a connection each.
    let plain: UInt16
    /// Passes on in HTTP/1.1, on connections that it keeps.
    let keeping: UInt16
    private let process: RunningProcess

    init(_ site: Site) throws {
        (plain, keeping) = (try FreePort.number(), try FreePort.number())
        let scratch = site.scratch
        let configuration = try scratch.write(
            "nginx.conf",
            Self.configuration(scratch, site.broker.appsSocket, plain: plain, keeping: keeping)
        )
        process = try RunningProcess(
            Installed.nginx.rawValue,
            ["-e", scratch.path("nginx.log"), "-p", scratch.path, "-c", configuration]
        )
        for port in [plain, keeping] {
            try Deadline.until("nginx listens") { (try? Connection(port: port)) != nil }
        }
    }

    private static func configuration(_ scratch: Scratch, _ socket: String, plain: UInt16, keeping: UInt16) -> String {
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(scratch.path("nginx-\($0)"));" }
        return """
            daemon off;
            # One process, so that nothing is left when it is killed.
            master_process off;
            pid \(scratch.path("nginx.pid"));
            events { worker_connections 1024; }
            http {
                access_log off;
                keepalive_requests 100000;
                \(folders.joined(separator: "\n    "))
                upstream broker {
                    server unix:\(socket);
                    keepalive 8;
                }
                server {
                    listen 127.0.0.1:\(plain);
                    location / { proxy_pass http://unix:\(socket):; }
                }
                server {
                    listen 127.0.0.1:\(keeping);
                    location / {
                        proxy_pass http://broker;
                        proxy_http_version 1.1;
                        proxy_set_header Connection "";
                    }
                }
            }

            """
    }
}
