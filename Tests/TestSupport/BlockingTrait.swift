public import Testing

/// Gives each test of a suite a thread of its own, as soon as one is free.
///
/// A test that starts programs, loops and threads mostly waits for them. On the cooperative pool, which has a thread a
/// core, two such tests would hold up everything else, the code under test with it; and all of them at once would be
/// late for their own deadlines.
public struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await WorkerThreads.shared.run(function)
    }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> BlockingTrait? {
        testCase == nil ? nil : self
    }
}

extension Trait where Self == BlockingTrait {
    /// The tests wait for programs or threads that they start, or compute for long.
    public static var blocking: BlockingTrait { BlockingTrait() }
}
