/// What the program is called and where its files are, unless it is told otherwise.
enum Product {
    static let version = "0.1.0"
    static let program = "tokenbroker"
    static let unit = "tokenbroker"
    static let configurationPath = "/etc/tokenbroker/tokenbroker.yaml"
}
