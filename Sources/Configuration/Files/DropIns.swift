internal import Glibc

/// The files that packages and configuration management put beside the main one.
enum DropIns {
    /// The paths of `conf.d/*.yaml` beside `mainFile`, in the byte order of their names; empty without such a folder.
    ///
    /// Like a shell's `*`, it leaves out names that begin with a dot: editors keep their copies there.
    static func paths(beside mainFile: String) throws(SystemError) -> [String] {
        let folder = self.folder(beside: mainFile)
        guard let stream = opendir(folder) else {
            let error = SystemError.last
            guard error.isNotFound else { throw error }
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name.hasSuffix(".yaml"), !name.hasPrefix(".") { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw SystemError.last }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(folder)/\($0)" }
    }

    /// What is wrong with the folder's owner and mode: whoever can write to it decides which files are read.
    static func faults(of folder: String, _ rule: FileRule) throws(SystemError) -> [String] {
        do throws(SystemError) {
            let attributes = try OpenFile(folder).attributes
            return rule.violationsOfConfiguration(attributes, path: folder).map { "\($0.fault): \($0.remedy)" }
        } catch {
            guard error.isNotFound else { throw error }
            return []
        }
    }

    static func folder(beside mainFile: String) -> String {
        guard let slash = mainFile.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "conf.d" }
        return mainFile[...slash] + "conf.d"
    }
}
