import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Signals", .blocking)
struct SignalSourceTests {
    @Test("a signal that came before delivery began reaches the callback, and kills nobody")
    func delivers() async {
        await #expect(processExitsWith: .success) {
            let source = try SignalSource([.terminate, .hangUp])
            // To this thread: the test runner's own threads were started before and do not block them.
            pthread_kill(pthread_self(), SIGTERM)
            pthread_kill(pthread_self(), SIGHUP)
            let loop = try EventLoop()
            var seen: Set<Signal> = []
            try source.deliver(on: loop) { seen.insert($0) }
            loop.runOnce()
            exit(seen == [.terminate, .hangUp] ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
