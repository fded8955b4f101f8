/// What the program and the daemon's unit are called, and where the configuration is unless it is told otherwise.
enum Installation {
    static let program = "tokenbroker"
    static let unit = "tokenbroker"
    static let serviceUnit = "tokenbroker.service"
    static let socketUnit = "tokenbroker.socket"
    /// Whom the package has the daemon run as.
    static let user = "tokenbroker"
    static let configurationPath = "/etc/tokenbroker/tokenbroker.yaml"
}
