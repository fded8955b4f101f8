/// A program's file as the kernel knows it, whatever its names: its device and inode.
public struct ExecutableFile: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64
    private let hold: (any AnyObject & Sendable)?

    /// - Parameter hold: what keeps the file's inode from being given to another file for as long as this value lives.
    ///   Without it, whoever can make files on that device could make one that gets the number of a file which was
    ///   replaced. The broker only keeps it.
    public init(device: UInt64, inode: UInt64, hold: (any AnyObject & Sendable)? = nil) {
        self.device = device
        self.inode = inode
        self.hold = hold
    }

    public static func == (left: ExecutableFile, right: ExecutableFile) -> Bool {
        left.device == right.device && left.inode == right.inode
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }
}
