import Glibc

/// nginx in front of a broker, as its operators would have it.
final class Nginx {
    /// Passes on as nginx does by default: HTTP/1.0, a connection each.
    let plain: UInt16
    /// Passes on in HTTP/1.1, on connections that it keeps.
    let keeping: UInt16
    private let process: RunningProcess

    init(_ site: Site) throws {
        (plain, keeping) = (try Self.freePort(), try Self.freePort())
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

    /// A port that nobody has at this moment.
    private static func freePort() throws -> UInt16 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 ? getsockname(socket, $0, &size) : -1
            }
        }
        guard result == 0 else { throw HarnessError.system("bind") }
        return UInt16(bigEndian: address.sin_port)
    }
}
