/// Why a change to the device policy was not made.
public enum DevicePolicyRefusal: Error, Equatable, Sendable {
    /// It is not at the revision that the writer read: somebody else has changed it meanwhile.
    case changedMeanwhile
    /// A mode for a route that the configuration does not have.
    case unknownRoute(Name)
    /// Those routes would enforce from now on, with no app to accept.
    case nothingToAccept([Name])
    /// The configuration has no store to keep it in.
    case noStore
    /// The store does not keep it now.
    case storeFails(StoreError)
}
