import HTTPWire
import JSON

/// A provider that answers with what it was asked, and has a few paths of its own:
///
/// - `/events?TYPE`: an event, and a second one when somebody has asked for `/go`;
/// - `/slow?SECONDS`: the answer after that long;
/// - `/status?NUMBER`: the answer with that status;
/// - `/jealous`: 401 for the credential that comes first, and for that one only;
/// - `/accel`: an answer that tells nginx to hand out an internal location.
final class EchoProvider {
    let port: UInt16
    private let process: RunningProcess

    init() throws {
        process = try RunningProcess(Installed.python.rawValue, ["-c", Self.script])
        let line = try process.output.line(with: "listening on")
        guard let port = line.split(separator: " ").last.flatMap({ UInt16($0) }) else { throw HarnessError(line) }
        self.port = port
    }

    /// Every request that has come so far.
    var requests: [EchoedRequest] {
        process.output.lines.compactMap { line in
            (try? JSONValue(parsing: Array(line.utf8))).map(EchoedRequest.init)
        }
    }

    /// Lets the second event go.
    func go() throws {
        _ = try Connection(port: port).exchange(.get, "/go")
    }

    private static let script = #"""
        import hashlib, json, sys, threading, time
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        go = threading.Event()
        refused = []

        class Provider(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def body(self):
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def answer(self):
                body = self.body()
                path, _, query = self.path.partition("?")
                if path == "/go":
                    go.set()
                echo = json.dumps({
                    "method": self.command, "target": self.path, "length": len(body),
                    "sha256": hashlib.sha256(body).hexdigest(),
                    "headers": [[name.lower(), value] for name, value in self.headers.items()],
                })
                print(echo, flush=True)
                if path == "/events":
                    return self.events(query)
                if path == "/slow":
                    time.sleep(float(query))
                status = int(query) if path == "/status" else 200
                if path == "/jealous":
                    refused[:] = refused or [self.headers["Authorization"]]
                    status = 401 if self.headers["Authorization"] in refused else 200
                self.send_response(status)
                if path == "/accel":
                    self.send_header("X-Accel-Redirect", "/_tokenbroker/credential")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(echo)))
                self.end_headers()
                self.wfile.write(echo.encode())

            def events(self, type):
                self.send_response(200)
                self.send_header("Content-Type", type)
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(b"data: first\n\n")
                go.wait()
                self.wfile.write(b"data: second\n\n")

            do_GET = do_POST = do_PUT = do_PATCH = answer

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        print("listening on", server.server_port, flush=True)
        server.serve_forever()
        """#
}

/// A request as the provider saw it.
struct EchoedRequest {
    let method: String?
    let target: String?
    let length: Int64?
    let sha256: String?
    private let headers: [(name: String, value: String)]

    init(_ json: JSONValue) {
        method = json["method"]?.string
        target = json["target"]?.string
        length = json["length"]?.number?.int64
        sha256 = json["sha256"]?.string
        headers = (json["headers"]?.array ?? []).compactMap { pair in
            guard let name = pair.array?.first?.string, let value = pair.array?.last?.string else { return nil }
            return (name, value)
        }
    }

    /// The values of every field of that name, as many as there were.
    func values(_ name: String) -> [String] {
        headers.filter { $0.name == name.lowercased() }.map(\.value)
    }

    var allValues: [String] { headers.map(\.value) }
}

extension HTTPClientResponse {
    /// What the provider was asked, which it answered with.
    var echo: EchoedRequest { EchoedRequest(json) }
}
