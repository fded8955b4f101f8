internal import HTTPWire
internal import JSON

/// Finds out whom a request is for: a provider, the control API, or nobody.
final class Router {
    private let hosts: [ProviderHost]
    private let control: ControlAPI

    init(_ hosts: [ProviderHost]) {
        self.hosts = hosts
        control = ControlAPI(hosts)
    }

    func exchange(for request: HTTPRequest) -> Exchange {
        let path = String(decoding: request.path, as: UTF8.self)
        if let rest = path.below("/control") {
            return Exchange(request, respond: { [control] in control.response(to: request, path: rest) })
        }
        for host in hosts {
            if let rest = path.below("/" + host.provider.name) { return host.exchange(for: request, path: rest) }
        }
        return Exchange(request, respond: { .json(404, ["error": "no provider has this path"]) })
    }
}

extension String {
    /// What is left of a path below a prefix, with its slash; nil where it is not below it.
    func below(_ prefix: String) -> String? {
        guard hasPrefix(prefix) else { return nil }
        let rest = dropFirst(prefix.count)
        return rest.isEmpty || rest.hasPrefix("/") ? String(rest) : nil
    }
}
