internal import Glibc

/// Bytes lent to libcurl for one transfer, overwritten when it is over: request headers and bodies carry secrets.
///
/// libcurl copies them into its own send buffer, which it frees by a function that overwrites it too.
final class WipedBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        bytes = .allocate(byteCount: count, alignment: 1)
    }

    deinit {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        bytes.deallocate()
    }
}
