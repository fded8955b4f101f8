import Glibc

/// What the test's own process has in its memory.
enum OwnMemory {
    private static let windowBytes = 1 << 20

    /// How often a text is there, in whatever can be written.
    ///
    /// - Parameter masked: the text's bytes, each with all its bits turned: the text itself would be found here.
    static func count(ofMasked masked: [UInt8]) throws -> Int {
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw SystemError(number: errno) }
        defer { close(memory) }
        // Of its own, to be left out.
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let window = mmap(nil, windowBytes, PROT_READ | PROT_WRITE, flags, -1, 0), window != MAP_FAILED else {
            throw SystemError(number: errno)
        }
        defer { munmap(window, windowBytes) }
        let own = Int(bitPattern: window)..<Int(bitPattern: window) + windowBytes
        var count = 0
        for region in try writableRegions() {
            for part in [region.clamped(to: 0..<own.lowerBound), region.clamped(to: own.upperBound..<Int.max)] {
                var start = part.lowerBound
                while start < part.upperBound {
                    let read = pread(memory, window, min(windowBytes, part.upperBound - start), off_t(start))
                    guard read > 0 else { break }
                    count += occurrences(of: masked, in: UnsafeRawBufferPointer(start: window, count: read))
                    explicit_bzero(window, read)
                    // Windows overlap, so that no text lies across a border unseen.
                    start += start + read < part.upperBound ? max(read - masked.count + 1, 1) : read
                }
            }
        }
        return count
    }

    private static func writableRegions() throws -> [Range<Int>] {
        guard let file = fopen("/proc/self/maps", "re") else { throw SystemError(number: errno) }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        var regions: [Range<Int>] = []
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let fields = text.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            if fields[1].hasPrefix("rw"), bounds.count == 2 { regions.append(bounds[0]..<bounds[1]) }
        }
        return regions
    }

    private static func occurrences(of masked: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        var (count, position) = (0, 0)
        while bytes.count - position >= masked.count,
            let found = memchr(start + position, Int32(~masked[0]), bytes.count - position - masked.count + 1)
        {
            position = start.distance(to: UnsafeRawPointer(found))
            if masked.indices.allSatisfy({ bytes[position + $0] == ~masked[$0] }) { count += 1 }
            position += 1
        }
        return count
    }
}
