/// Which system unit a process runs in, read from `/proc/PID/cgroup`.
enum ControlGroup {
    /// The unit's name, such as `api.service`; nothing for a process that no service or scope of the system's manager
    /// holds.
    ///
    /// - Parameter text: The file's lines, `HIERARCHY:CONTROLLERS:PATH` (cgroups(7)). systemd keeps its tree in the
    ///   unified hierarchy, `0::`, in version 1's `name=systemd`, or alike in both; the one that it does not use is only
    ///   `/`, or another manager's. So where both tell more than that they have to name the same unit.
    static func systemUnit(in text: String) -> String? {
        let units = text.split(separator: "\n").compactMap { line -> String?? in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2] != "/" else { return nil }
            let isUnified = fields[0] == "0" && fields[1].isEmpty
            return isUnified || fields[1] == "name=systemd" ? .some(unit(in: fields[2])) : nil
        }
        guard let first = units.first, units.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The first part of the path that is not a slice decides: what lies below it was made by the unit itself, which
    /// may name its groups after any other. All of `user.slice` is the users' own, and so is what their managers hold.
    private static func unit(in path: Substring) -> String? {
        let parts = path.split(separator: "/")
        guard parts.first != "user.slice", let part = parts.first(where: { !isUnit($0, ".slice") }) else { return nil }
        guard isUnit(part, ".service") || isUnit(part, ".scope"), !part.hasPrefix("user@") else { return nil }
        // systemd puts an underscore before a name that looks like one of the kernel's own files.
        return String(part.hasPrefix("_") ? part.dropFirst() : part)
    }

    private static func isUnit(_ part: Substring, _ suffix: String) -> Bool {
        part.hasSuffix(suffix) && part.count > suffix.count
    }
}
