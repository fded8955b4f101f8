/// The port to the device policy that is in force: what the file says, and what operators have set over it.
///
/// It is asked at each request, on the thread that serves, so that a change holds from the next one on.
public protocol DevicePolicySource: Sendable {
    /// How strict the gate of `route` is.
    func mode(of route: Name) -> DeviceMode
    /// The apps whose devices may register, and whose devices' proofs count.
    var apps: [DeviceApp] { get }
}
