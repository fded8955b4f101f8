/// Which system unit a process runs in, read from `/proc/PID/cgroup`.
enum ControlGroup {
    /// The unit's name, such as `api.service`; nothing for a process that no service or scope of the system's manager
    /// holds.
    ///
    /// - Parameter text: The file's lines, `HIERARCHY:CONTROLLERS:PATH` (cgroups(7)). systemd keeps its tree in
    ///   `name=systemd` where the host uses version 1, and the unified hierarchy, `0::`, is then only `/`.
    static func systemUnit(in text: String) -> String? {
        var unified: Substring?
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[1] == "name=systemd" { return unit(in: fields[2]) }
            if fields[0] == "0", fields[1].isEmpty { unified = fields[2] }
        }
        return unified.flatMap(unit)
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
