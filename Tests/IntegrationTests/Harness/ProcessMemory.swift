import Glibc

/// What another process has in its memory; only root can look.
enum ProcessMemory {
    /// How often a text is there, in whatever can be written.
    static func count(_ text: String, in pid: pid_t) throws -> Int {
        let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw HarnessError.system("open") }
        defer { close(memory) }
        let pattern = Array(text.utf8)
        return try Files.text("/proc/\(pid)/maps").split(separator: "\n").reduce(0) { count, line in
            let fields = line.split(separator: " ")
            guard fields[1].hasPrefix("rw"), let region = region(fields[0]) else { return count }
            return count + occurrences(of: pattern, in: contents(of: region, memory))
        }
    }

    /// The addresses of a mapping, as in `7f00-7f80`.
    private static func region(_ text: Substring) -> Range<Int>? {
        let bounds = text.split(separator: "-").compactMap { Int($0, radix: 16) }
        return bounds.count == 2 ? bounds[0]..<bounds[1] : nil
    }

    /// As far as it can be read: reserved memory that was never touched cannot.
    private static func contents(of region: Range<Int>, _ memory: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: region.count) { buffer, count in
            while count < region.count {
                let (start, rest) = (off_t(region.lowerBound + count), region.count - count)
                let more = pread(memory, buffer.baseAddress! + count, rest, start)
                guard more > 0 else { return }
                count += more
            }
        }
    }

    private static func occurrences(of pattern: [UInt8], in bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            var (count, position) = (0, 0)
            while bytes.count - position >= pattern.count,
                let found = memchr(start + position, Int32(pattern[0]), bytes.count - position - pattern.count + 1)
            {
                if memcmp(found, pattern, pattern.count) == 0 { count += 1 }
                position = start.distance(to: found) + 1
            }
            return count
        }
    }
}
