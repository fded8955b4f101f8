import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Clients of others' making", .blocking)
struct ForeignClientTests {
    private func curl(_ site: Site, _ arguments: String...) throws -> String {
        let options = ["--silent", "--show-error", "--max-time", "60", "--unix-socket", site.broker.appsSocket]
        return try Installed.curl.run(options + arguments)
    }

    private static let url = "http://localhost/v1/tokens/web"

    // MARK: curl

    @Test("curl asks twice on one connection", .with(.curl))
    func curlKeepsAlive() throws {
        let site = try Site()
        let format = "%{http_code} %{num_connects}\n"
        let output = try curl(
            site,
            "--output",
            "/dev/null",
            "--output",
            "/dev/null",
            "--write-out",
            format,
            Self.url,
            Self.url
        )
        #expect(output == "200 1\n200 0\n")
    }

    @Test("curl posts in chunks", .with(.curl))
    func curlChunks() throws {
        let site = try Site()
        let body = "{\"min_ttl\": 1}"
        let output = try curl(site, "--header", "Transfer-Encoding: chunked", "--data", body, Self.url)
        #expect(try JSONValue(parsing: Array(output.utf8))["name"] == "web")
    }

    @Test("curl speaks HTTP/1.0", .with(.curl))
    func curlOldVersion() throws {
        let site = try Site()
        let output = try curl(site, "--http1.0", "--write-out", "\n%{http_code}", Self.url)
        #expect(output.contains("\"access_token\""))
        #expect(output.hasSuffix("\n200"))
    }

    @Test("curl is told to go on with its body", .with(.curl))
    func curlExpects() throws {
        let site = try Site()
        // It would send the body unasked after this long, which is longer than it has for everything.
        let output = try curl(
            site,
            "--include",
            "--expect100-timeout",
            "60",
            "--header",
            "Expect: 100-continue",
            "--data",
            "{\"min_ttl\": 1}",
            Self.url
        )
        #expect(output.hasPrefix("HTTP/1.1 100 Continue\r\n"))
        #expect(output.contains("HTTP/1.1 200 "))
    }

    // MARK: Languages

    @Test("Python's http.client asks and posts on one connection", .with(.python))
    func python() throws {
        let site = try Site()
        let output = try Installed.python.run(["-c", Self.pythonScript, site.broker.appsSocket])
        #expect(output == "200 True\n200 True\n200 True\n200 True\n404 True\n200 True\n")
    }

    private static let pythonScript = """
        import http.client, json, socket, sys

        class Connection(http.client.HTTPConnection):
            def connect(self):
                self.sock = socket.socket(socket.AF_UNIX)
                self.sock.connect(sys.argv[1])

        connection = Connection("localhost", timeout=60)
        connection.connect()
        first = connection.sock
        parts = lambda: iter([b'{"min_', b'ttl": 1}'])
        for method, path, body in [
            ("GET", "/v1/tokens/web", None), ("POST", "/v1/tokens/web", '{"min_ttl": 1}'),
            ("POST", "/v1/tokens/web", parts()), ("HEAD", "/healthz", None), ("GET", "/nothing", None),
            ("GET", "/v1/tokens/web", None),
        ]:
            connection.request(method, path, body)
            answer = connection.getresponse()
            text = answer.read()
            if method != "HEAD":
                json.loads(text)
            print(answer.status, connection.sock is first)
        """

    @Test("Node's http asks on one connection that its agent keeps", .with(.node))
    func node() throws {
        let site = try Site()
        let output = try Installed.node.run(["-e", Self.nodeScript, site.broker.appsSocket])
        #expect(output == "200 web false\n200 web true\n200 web true\n200 web true\n")
    }

    private static let nodeScript = """
        const http = require("http");
        const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        const ask = (left) => {
            const options = { socketPath: process.argv[1], agent, path: "/v1/tokens/web" };
            // A body of unknown length goes out in chunks.
            if (left % 2) options.method = "POST";
            const request = http.request(options, (answer) => {
                let text = "";
                answer.on("data", (part) => (text += part));
                answer.on("end", () => {
                    console.log(answer.statusCode, JSON.parse(text).name, request.reusedSocket);
                    if (left > 1) setImmediate(ask, left - 1);
                    else agent.destroy();
                });
            });
            if (left % 2) request.write('{"min_ttl": 1}');
            request.end();
        };
        ask(4);
        """

    @Test("a body as Go writes it: head, chunks and end each in a packet of its own")
    func goLike() throws {
        let site = try Site()
        let connection = try site.broker.connect()
        for _ in 0..<2 {
            let head = [
                "POST /v1/tokens/web HTTP/1.1", "Host: localhost", "User-Agent: Go-http-client/1.1",
                "Transfer-Encoding: chunked", "Content-Type: application/json", "Accept-Encoding: gzip",
            ]
            let chunks = ["a\r\n{\"min_ttl\"\r\n", "4\r\n: 1}\r\n", "0\r\n\r\n"]
            for part in [head.joined(separator: "\r\n") + "\r\n\r\n"] + chunks { try connection.send(part) }
            let answer = try connection.receive()
            #expect(answer.status == 200)
            #expect(answer.keepsAlive)
        }
    }

    // MARK: Load

    @Test("h2load gets every answer that it asks for", .with(.h2load))
    func h2load() throws {
        let site = try Site()
        let output = try Installed.h2load.run([
            "--h1", "-n", "2000", "-c", "50", "-B", "unix:\(site.broker.appsSocket)", Self.url,
        ])
        #expect(output.contains("2000 succeeded, 0 failed, 0 errored, 0 timeout"))
        #expect(output.contains("status codes: 2000 2xx"))
    }

    // MARK: nginx

    @Test("nginx passes requests on, in HTTP/1.0 and on connections that it keeps", .with(.nginx))
    func nginx() throws {
        let site = try Site()
        let nginx = try Nginx(site)
        for port in [nginx.plain, nginx.keeping] {
            let connection = try Connection(port: port)
            for _ in 0..<5 {
                let answer = try connection.exchange(.get, "/v1/tokens/web")
                #expect(answer.status == 200)
                #expect(answer.text("name") == "web")
                #expect(answer.headers.values("Cache-Control") == ["no-store"])
            }
            let posted = try connection.exchange(.post, "/v1/tokens/web", body: Array("{\"min_ttl\": 1}".utf8))
            #expect(posted.status == 200)
            #expect(try connection.exchange(.head, "/healthz").status == 200)
            #expect(try connection.exchange(.get, "/nothing").code == "not_found")
        }
    }

    @Test("ApacheBench through nginx fails nothing", .with(.nginx), .with(.ab))
    func apacheBench() throws {
        let site = try Site()
        let nginx = try Nginx(site)
        for port in [nginx.plain, nginx.keeping] {
            // -l: the seconds left may have a digit less at the end.
            let output = try Installed.ab.run([
                "-q", "-l", "-k", "-n", "2000", "-c", "20", "http://127.0.0.1:\(port)/v1/tokens/web",
            ])
            #expect(Self.count("Complete requests", output) == 2000)
            #expect(Self.count("Failed requests", output) == 0)
            #expect(Self.count("Keep-Alive requests", output) == 2000)
            #expect(!output.contains("Non-2xx"))
        }
        // What it kept is a handful, whatever came through it.
        #expect(try site.broker.openDescriptors ?? 0 < 100)
    }

    /// A number of ApacheBench's report.
    private static func count(_ name: String, _ report: String) -> Int? {
        report.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: " ").last.flatMap { Int($0) }
    }
}
