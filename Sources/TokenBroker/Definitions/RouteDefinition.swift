/// A token as an app's SDK reads it, for a reverse proxy to pass on.
public struct RouteDefinition: Hashable, Sendable {
    /// Which SDK's JSON is answered.
    public enum Shape: String, CaseIterable, Sendable {
        case aiAutocomplete = "ai-autocomplete"
        case roadie
        case appAIGateway = "app-ai-gateway"
        case oauth2

        /// Whether the end is said as a date; else as the seconds that are left.
        public var hasDate: Bool {
            switch self {
            case .aiAutocomplete, .roadie: true
            case .appAIGateway, .oauth2: false
            }
        }
    }

    /// How the date of the end is written.
    public enum ExpiryUnit: String, CaseIterable, Sendable {
        case seconds
        case milliseconds
        case rfc3339
    }

    /// What of the app's request names the end user. It must be there exactly once.
    public enum UserSource: Hashable, Sendable {
        /// A header that the proxy sets, and deletes where a client sent it.
        case header(String)
        /// A query parameter that the proxy sets.
        case query(String)
        /// The device that the request's proof is of: its id is the user's.
        case device
    }

    public let name: Name
    public let token: Name
    public let shape: Shape
    public let expiryUnit: ExpiryUnit
    /// What an app gets has at least this left, where a mint can bring it.
    public let minimum: Duration
    /// How long an app waits for a mint.
    public let wait: Duration
    public let userSource: UserSource?
    /// The path that the app's request had when it reached the proxy, which a device's proof signs; nil for the path that
    /// the broker is asked by.
    public let publicPath: String?
    /// How strict the gate is at least; nil where the configuration says nothing of it.
    public let devices: DeviceMode?
    /// Who may ask in place of those whom the token admits; nil for the token's own grants.
    public let grants: [Grant]?

    public init(
        name: Name,
        token: Name,
        shape: Shape,
        expiryUnit: ExpiryUnit,
        minimum: Duration,
        wait: Duration,
        userSource: UserSource? = nil,
        publicPath: String? = nil,
        devices: DeviceMode? = nil,
        grants: [Grant]? = nil
    ) {
        self.name = name
        self.token = token
        self.shape = shape
        self.expiryUnit = expiryUnit
        self.minimum = minimum
        self.wait = wait
        self.userSource = userSource
        self.publicPath = publicPath
        self.devices = devices
        self.grants = grants
    }
}
