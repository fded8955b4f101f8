/// Who may own a file that the daemon believes, and who may read or write it.
///
/// Each rule answers with what is wrong and the command that mends it, to be copied into a shell.
struct FileRule {
    let daemon: DaemonIdentity

    /// What the owner and the mode must be like, each with its remedy.
    struct Violation: Equatable {
        let fault: String
        let remedy: String
    }

    /// A program that a grant names: whoever can change it gets the tokens.
    func violationsOfProgram(_ file: FileAttributes, path: String) -> [Violation] {
        ownerAndWriters(file, path: path)
    }

    /// Certificates that are trusted: whoever can change them can pass for the provider, and is handed the key.
    func violationsOfTrust(_ file: FileAttributes, path: String) -> [Violation] {
        ownerAndWriters(file, path: path)
    }

    /// A configuration file: whoever can change it decides who gets tokens.
    func violationsOfConfiguration(_ file: FileAttributes, path: String) -> [Violation] {
        ownerAndWriters(file, path: path)
    }

    private func ownerAndWriters(_ file: FileAttributes, path: String) -> [Violation] {
        var violations = owner(file, path: path)
        if file.permissions & 0o022 != 0 {
            violations.append(
                Violation(fault: "others than its owner may write to it", remedy: "chmod go-w \(ShellWord(path))")
            )
        }
        return violations
    }

    /// A file with a long-lived key: whoever can read it has the key.
    func violationsOfSecret(_ file: FileAttributes, path: String) -> [Violation] {
        var violations = owner(file, path: path)
        if file.permissions & 0o007 != 0 {
            violations.append(Violation(fault: "it is open to everybody", remedy: "chmod o= \(ShellWord(path))"))
        }
        if file.permissions & 0o020 != 0 {
            violations.append(Violation(fault: "its group may write to it", remedy: "chmod g-w \(ShellWord(path))"))
        }
        if file.permissions & 0o040 != 0, file.group != daemon.gid {
            violations.append(
                Violation(
                    fault: "group \(file.group), which is not the daemon's, may read it",
                    remedy: "chgrp \(daemon.gid) \(ShellWord(path))"
                )
            )
        }
        return violations
    }

    private func owner(_ file: FileAttributes, path: String) -> [Violation] {
        guard file.owner != 0, file.owner != daemon.uid else { return [] }
        let fault = "uid \(file.owner) owns it, which is neither root nor the daemon"
        return [Violation(fault: fault, remedy: Self.handOver(path, to: daemon))]
    }

    /// The command that makes the daemon the owner of a file.
    static func handOver(_ path: String, to daemon: DaemonIdentity) -> String {
        "chown \(daemon.uid) \(ShellWord(path))"
    }
}

/// A text as one word of a POSIX shell.
public struct ShellWord: CustomStringConvertible {
    public let description: String

    public init(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+:@,".utf8.contains(byte)
            }
        }
        description =
            isPlain
            ? text
            : "'"
                + text.split(separator: "'", omittingEmptySubsequences: false)
                .joined(separator: #"'\''"#) + "'"
    }
}
