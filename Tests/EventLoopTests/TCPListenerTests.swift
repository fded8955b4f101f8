import EventLoop
import Glibc
import Testing

@Suite("TCP listener")
struct TCPListenerTests {
    @Test("listens on a free loopback port, and its connections do not delay what is written")
    func loopback() throws {
        let listener = try TCPListener()
        #expect(listener.port != 0)
        let client = try connect(toPort: listener.port)
        let connection = try #require(try listener.accept()?.release())
        var noDelay: Int32 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: noDelay))
        #expect(getsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, &size) == 0)
        #expect(noDelay == 1)
        #expect(try !listener.acceptsOne())
        for number in [client, connection] { close(number) }
    }

    @Test("a port that is taken is an error")
    func portTaken() throws {
        let listener = try TCPListener()
        #expect(throws: SystemError(call: "bind", number: EADDRINUSE)) { _ = try TCPListener(port: listener.port) }
    }

    private func connect(toPort port: UInt16) throws -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(client, $0, size) }
        }
        guard result == 0 else { throw SystemError(call: "connect", number: errno) }
        return client
    }
}
