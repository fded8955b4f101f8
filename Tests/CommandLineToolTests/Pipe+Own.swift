import Foundation
import Glibc

extension Pipe {
    /// A pipe that no child of another test keeps open: Foundation's are inherited.
    static func own() -> Pipe {
        let pipe = Pipe()
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }
}
