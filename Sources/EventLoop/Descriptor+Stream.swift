internal import Glibc

/// What a read from a stream socket came to.
public enum ReadResult: Equatable, Sendable {
    /// That many bytes are in the buffer, at least one.
    case bytes(Int)
    /// Nothing is there yet.
    case wouldBlock
    /// The peer has finished writing.
    case endOfStream
    case failed(SystemError)
}

/// What a write to a stream socket came to.
public enum WriteResult: Equatable, Sendable {
    /// The socket took that many bytes, perhaps not all.
    case bytes(Int)
    /// There is no room yet.
    case wouldBlock
    case failed(SystemError)
}

// A nonblocking stream socket.
extension Descriptor {
    /// Reads once into a buffer, which must not be empty: the result could not be told from an end of the stream.
    public borrowing func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        precondition(!buffer.isEmpty, "a read needs room")
        while true {
            let count = recv(number, buffer.baseAddress, buffer.count, 0)
            let failure = errno
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            if failure == EAGAIN { return .wouldBlock }
            if failure != EINTR { return .failed(SystemError(call: "recv", number: failure)) }
        }
    }

    /// Writes once. A peer that is gone is the error `EPIPE` and never the signal, which would kill the process.
    public borrowing func send(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        while true {
            let count = Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            let failure = errno
            if count >= 0 { return .bytes(count) }
            if failure == EAGAIN { return .wouldBlock }
            if failure != EINTR { return .failed(SystemError(call: "send", number: failure)) }
        }
    }

    /// Takes no more bytes from the peer. Those that a Unix socket has taken can still be read, up to the end of the stream;
    /// what the peer writes from here on fails at once (`EPIPE`), so that it knows it was not read.
    public borrowing func shutdownReading() {
        _ = shutdown(number, Int32(SHUT_RD))
    }

    /// Tells the peer that no more bytes will come; reading goes on. A peer that is gone already is no error.
    public borrowing func shutdownWriting() {
        _ = shutdown(number, Int32(SHUT_WR))
    }
}
