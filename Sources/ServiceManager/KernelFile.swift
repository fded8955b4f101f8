internal import Glibc

/// A file that the kernel makes up as it is read (proc(5)).
enum KernelFile {
    /// A page or two; what is longer is none of what is looked at.
    private static let longest = 16_384

    /// - Returns: nil where it is not there or may not be opened.
    static func text(at path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: longest)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
