internal import Glibc

/// One reading of what a process is in and runs. It proves nothing by itself: see ``PeerProcess``.
struct ProcessSighting: Equatable {
    /// Read before the rest.
    let startTime: UInt64
    let unit: String?
    let executable: FileIdentity?
    let executablePath: String?

    init(in directory: borrowing ProcessDirectory) throws(SystemError) {
        startTime = try directory.startTime()
        unit = ControlGroup.systemUnit(in: try directory.controlGroups())
        executable = try? directory.executable()
        executablePath = try? directory.executablePath()
    }

    /// Two sightings are of the same process, unchanged; what its program is called by now does not matter.
    static func == (left: ProcessSighting, right: ProcessSighting) -> Bool {
        left.startTime == right.startTime && left.unit == right.unit && left.executable == right.executable
    }
}
