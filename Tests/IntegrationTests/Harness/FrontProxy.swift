import Testing

/// A reverse proxy of somebody else's making, with the configuration that this repository ships for it.
enum FrontProxy: String, CaseIterable {
    case nginx, caddy

    private var program: Installed {
        switch self {
        case .nginx: .nginx
        case .caddy: .caddy
        }
    }

    /// Where it finds what the tests put in the place of the real world.
    struct Surroundings {
        let scratch: Scratch
        let brokerSocket: String
        let providerScheme: String
        let providerPort: UInt16
        /// The file with the authority to trust for HTTPS.
        let authority: String
    }

    /// A line of a shipped file that an operator is told to change, and what they make of it.
    struct Edit {
        let line: String
        let change: String
    }

    /// Cancels the test where it is not installed.
    func require() throws {
        if !program.isPresent { try Test.cancel(program.absence) }
    }

    /// - Returns: What runs, and the Unix socket that it listens on.
    func start(_ surroundings: Surroundings, _ edits: [Edit]) throws -> (RunningProcess, socket: String) {
        let socket = surroundings.scratch.path("front.sock")
        let process =
            switch self {
            case .nginx: try startNginx(surroundings, edits, socket)
            case .caddy: try startCaddy(surroundings, edits, socket)
            }
        do {
            try Deadline.until("\(rawValue) listens") { (try? Connection(unix: socket)) != nil }
        } catch {
            throw HarnessError("\(error)\n\(process.errors.text)")
        }
        return (process, socket)
    }

    private func startNginx(_ here: Surroundings, _ edits: [Edit], _ socket: String) throws -> RunningProcess {
        let users = try here.scratch.write("users", "ann:{PLAIN}secret\n")
        try here.scratch.makeDirectory("tokenbroker")
        let places = [
            Edit(line: "/etc/nginx/tokenbroker.htpasswd", change: users),
            Edit(line: "/run/tokenbroker/apps.sock", change: here.brokerSocket),
            // A name, so that the certificate can be checked; the group below says where it is.
            Edit(line: "https://api.ai-autocomplete.com", change: "\(here.providerScheme)://localhost"),
            Edit(line: "/etc/ssl/certs/ca-certificates.crt", change: here.authority),
        ]
        let names = ["token-route", "data-route", "ask-broker", "credential", "send-to-provider"]
        try ShippedFiles("nginx", names.map { "\($0).conf" }, into: "tokenbroker/", here.scratch).write(places + edits)
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(here.scratch.path("nginx-\($0)"));" }
        let configuration = try here.scratch.write(
            "nginx.conf",
            """
            daemon off;
            # One process, so that nothing is left when it is killed.
            master_process off;
            pid \(here.scratch.path("nginx.pid"));
            events { worker_connections 256; }
            http {
                access_log off;
                \(folders.joined(separator: "\n    "))
                upstream localhost { server 127.0.0.1:\(here.providerPort); }
                server {
                    listen unix:\(socket);
                    # As careless as a server's own rules may be.
                    rewrite ^/elsewhere(/.*)$ $1 last;
                    include tokenbroker/token-route.conf;
                    include tokenbroker/data-route.conf;
                }
            }

            """
        )
        return try RunningProcess(
            program.rawValue,
            ["-e", here.scratch.path("nginx.log"), "-p", here.scratch.path, "-c", configuration]
        )
    }

    private func startCaddy(_ here: Surroundings, _ edits: [Edit], _ socket: String) throws -> RunningProcess {
        // `secret`, hashed as cheaply as bcrypt can.
        let hash = "$2y$04$4GaBactD6lr2FjUKPe89weh5e7leTR5X7221SFYQqyE0fOf8JCAIa"
        let users = try here.scratch.write("users", "ann \(hash)\n")
        let places = [
            Edit(line: "/etc/caddy/tokenbroker-users", change: users),
            Edit(line: "/run/tokenbroker/apps.sock", change: here.brokerSocket),
            Edit(
                line: "https://api.ai-autocomplete.com",
                change: "\(here.providerScheme)://127.0.0.1:\(here.providerPort)"
            ),
        ]
        try ShippedFiles("caddy", ["tokenbroker.caddy"], into: "", here.scratch).write(places + edits)
        let configuration = try here.scratch.write(
            "Caddyfile",
            """
            {
                admin off
                auto_https off
            }
            import tokenbroker.caddy
            http://localhost {
                bind unix/\(socket)
                import tokenbroker_token_route
                import tokenbroker_data_route
            }

            """
        )
        return try RunningProcess(
            program.rawValue,
            ["run", "--config", configuration, "--adapter", "caddyfile"],
            environment: ["HOME=\(here.scratch.path)", "SSL_CERT_FILE=\(here.authority)"]
        )
    }
}

/// Files below `Config/`, as they are shipped.
struct ShippedFiles {
    private let texts: [(name: String, text: String)]
    private let scratch: Scratch

    init(_ folder: String, _ names: [String], into prefix: String, _ scratch: Scratch) throws {
        texts = try names.map { (prefix + $0, try Files.text(Self.path("\(folder)/\($0)"))) }
        self.scratch = scratch
    }

    /// Where a file below `Config/` is.
    static func path(_ name: String) -> String {
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/") + "/Config/" + name
    }

    /// Writes them with the edits made. An edit that finds nothing to change is a fault: the file is another by now.
    func write(_ edits: [FrontProxy.Edit]) throws {
        for edit in edits where !texts.contains(where: { $0.text.contains(edit.line) }) {
            throw HarnessError("no shipped file has \(edit.line)")
        }
        for (name, text) in texts {
            try scratch.write(name, edits.reduce(text) { $0.replacing($1.line, with: $1.change) })
        }
    }
}
