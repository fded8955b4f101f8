/// Why the sockets passed by the service manager cannot be used.
public enum SocketActivationError: Error, Equatable, CustomStringConvertible {
    case malformedVariable(String)
    case namesDoNotMatch(names: Int, descriptors: Int)
    case unexpectedName(String, expected: [String])
    case duplicateName(String)
    case notOpen(String, descriptor: Int32)
    case notAListeningUnixSocket(String, descriptor: Int32)

    public var description: String {
        switch self {
        case .malformedVariable(let name):
            "the environment variable \(name) is not a number in range"
        case .namesDoNotMatch(let names, let descriptors):
            "LISTEN_FDNAMES has \(names) names for \(descriptors) descriptors"
        case .unexpectedName(let name, let expected):
            "socket \"\(name)\" was passed; FileDescriptorName= in its unit must be one of \(expected)"
        case .duplicateName(let name):
            "two sockets were passed under the name \"\(name)\""
        case .notOpen(let name, let descriptor):
            "descriptor \(descriptor), passed as \"\(name)\", is not open"
        case .notAListeningUnixSocket(let name, let descriptor):
            "descriptor \(descriptor), passed as \"\(name)\", is not a listening Unix stream socket"
        }
    }
}
