/// Why no answer came from the broker.
enum ConnectionFailure: Error, Equatable {
    /// The path is longer than the kernel's field for it.
    case pathTooLong
    /// Nothing listens there; the text is the system's reason.
    case notThere(String)
    /// The socket or its directory does not let this user in.
    case notPermitted
    /// There was no whole answer within the deadline.
    case timedOut
    /// What came back is no answer of a broker.
    case unreadable(String)
}
