internal import Glibc
internal import TokenBroker

/// Where a store key is read from, and made where there is none yet.
struct KeyFile {
    let path: String
    /// Whether owner and mode are held against the rules. What the service manager passes in is taken as it made it.
    let isJudged: Bool

    /// Longer than any key: 64 digits, one line feed, and one byte more to see that there is more.
    private static let readLength = 66

    /// - Throws: `keyUnusable` when there is no such file, others could read it, or it holds no key.
    func read() throws(StoreError) -> StoreKey {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readLength, alignment: 1)
        defer {
            explicit_bzero(buffer.baseAddress!, buffer.count)
            buffer.deallocate()
        }
        var fault: String?
        let count = try call("cannot be read") { () throws(SystemError) in
            let file = try Descriptor(path, O_RDONLY)
            fault = self.fault(of: try file.status())
            return try file.read(into: buffer)
        }
        if let fault { throw unusable(fault) }
        guard let key = StoreKey(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
            throw unusable("holds neither 32 bytes nor 64 hexadecimal digits")
        }
        return key
    }

    func exists() throws(StoreError) -> Bool {
        try call("cannot be looked at") { () throws(SystemError) in try FileStatus.at(path) } != nil
    }

    /// Makes a new key, which the disk has when this returns.
    ///
    /// It gets its name only when it is complete: a process that dies half way leaves no half key behind, which the next
    /// start would have to refuse.
    func make() throws(StoreError) {
        let directory = Directory(of: path)
        try directory.judge()
        let draft = path + ".new"
        unlink(draft)
        try call("cannot be made") { () throws(SystemError) in
            let file = try Descriptor(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
            try Self.newDigits().withBytes { (digits) throws(SystemError) in try file.write(digits) }
            try file.synchronize()
            // Unlike a renaming, a link is never made over a key that came there meanwhile.
            guard link(draft, path) == 0 else { throw SystemError.last }
        }
        unlink(draft)
        try directory.synchronize()
    }

    private static func newDigits() -> Secret {
        var digits = Plaintext(capacity: 2 * StoreKey.length + 1)
        randomKey().withBytes { key in
            for byte in key {
                for nibble in [byte >> 4, byte & 0xF] {
                    digits.append(byte: nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
                }
            }
        }
        digits.append(byte: UInt8(ascii: "\n"))
        return digits.withBytes { Secret($0) }
    }

    private static func randomKey() -> Secret {
        var key = Plaintext(capacity: StoreKey.length)
        for byte in randomBytes(StoreKey.length) { key.append(byte: byte) }
        return key.withBytes { Secret($0) }
    }

    private func fault(of file: FileStatus) -> String? {
        guard file.isRegular else { return "is not a regular file" }
        guard isJudged else { return nil }
        guard file.isOurs else {
            return "uid \(file.owner) owns it, which is neither root nor the daemon: chown \(geteuid()) \(path)"
        }
        if file.permissions & 0o007 != 0 { return "it is open to everybody: chmod o= \(path)" }
        if file.permissions & 0o020 != 0 { return "its group may write to it: chmod g-w \(path)" }
        if file.permissions & 0o040 != 0, file.group != getegid() {
            return "group \(file.group), which is not the daemon's, may read it: chgrp \(getegid()) \(path)"
        }
        return nil
    }

    private func call<Result>(
        _ what: String,
        _ body: () throws(SystemError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw unusable(error.isNotFound ? "there is no such file" : "\(what): \(error)", cause: error)
        }
    }

    private func unusable(_ what: String, cause: SystemError? = nil) -> StoreError {
        StoreError(.keyUnusable, "store key: \(path): \(what)", cause: cause)
    }
}
