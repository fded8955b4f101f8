import Glibc
import Synchronization
import Testing

@testable import ServiceManager

@Suite("The memory of secrets")
struct LockedMemoryTests {
    private func memory(locks: Bool = true) throws -> LockedMemory {
        try #require(LockedMemory { start, count in locks && mlock(start, count) == 0 })
    }

    @Test("hands out buffers that do not overlap, of every size")
    func sizes() throws {
        let memory = try memory()
        var buffers: [UnsafeMutableRawBufferPointer] = []
        for (index, count) in [0, 1, 15, 16, 17, 200, 4096, 4097, 65536, 65537, 200_000].enumerated() {
            let buffer = try #require(memory.allocate(count))
            #expect(buffer.count == count)
            buffer.initializeMemory(as: UInt8.self, repeating: UInt8(index + 1))
            buffers.append(buffer)
        }
        for (index, buffer) in buffers.enumerated() {
            #expect(buffer.allSatisfy { $0 == UInt8(index + 1) })
            #expect(memory.free(buffer))
        }
    }

    @Test("hands out again what was freed, and nothing of what was in it")
    func reuse() throws {
        let memory = try memory()
        let places = try (0..<3).map { _ in try #require(memory.allocate(100)) }
        for place in places {
            place.initializeMemory(as: UInt8.self, repeating: 0)
            #expect(memory.free(place))
        }
        let again = try (0..<3).map { _ in try #require(memory.allocate(100)) }
        #expect(Set(again.map(\.baseAddress)) == Set(places.map(\.baseAddress)))
        #expect(again.allSatisfy { $0.allSatisfy { $0 == 0 } })
    }

    @Test("grows no further for secrets that come and go")
    func flat() throws {
        let memory = try memory()
        for round in 0..<1000 {
            let buffers = (0..<50).compactMap { memory.allocate(64 + ($0 * 37 + round) % 512) }
            for buffer in buffers { #expect(memory.free(buffer)) }
        }
        let usage = memory.usage
        #expect(usage.locked + usage.unlocked <= 32 * LockedMemory.chunk)
    }

    @Test("takes back nothing that is not its own")
    func foreign() throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { buffer.deallocate() }
        #expect(try !memory().free(buffer))
    }

    @Test("gives way to usual memory when it is full")
    func full() throws {
        let memory = try memory(locks: false)
        #expect(memory.allocate(LockedMemory.reservation + 1) == nil)
        #expect(memory.allocate(100) != nil)
    }

    @Test("says how much of it the limits let be locked")
    func unlocked() throws {
        let memory = try memory(locks: false)
        _ = memory.allocate(100)
        #expect(memory.usage == LockedMemory.Usage(locked: 0, unlocked: LockedMemory.chunk))
    }

    @Test("says once that the limits left out some of it, whether it is asked to before that or after it")
    func news() throws {
        for isAskedBefore in [true, false] {
            let (memory, told) = (try memory(locks: false), Counter())
            if isAskedBefore { memory.onUnlocked { told.count.withLock { $0 += 1 } } }
            #expect(told.count.withLock { $0 } == 0)
            _ = memory.allocate(100)
            if !isAskedBefore { memory.onUnlocked { told.count.withLock { $0 += 1 } } }
            #expect(told.count.withLock { $0 } == 1)
            _ = memory.allocate(LockedMemory.chunk)
            #expect(told.count.withLock { $0 } == 1)
        }
        let (memory, told) = (try memory(), Counter())
        memory.onUnlocked { told.count.withLock { $0 += 1 } }
        _ = memory.allocate(100)
        #expect(told.count.withLock { $0 } == (memory.usage.unlocked > 0 ? 1 : 0))
    }

    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    @Test("is left out of dumps, kept from children, and locked")
    func flags() throws {
        let memory = try memory()
        let buffer = try #require(memory.allocate(100))
        let flags = try #require(Self.flags(of: UInt(bitPattern: buffer.baseAddress)))
        #expect(flags.isSuperset(of: ["dd", "wf"]))
        #expect(flags.contains("lo") == (memory.usage.locked > 0) || Self.isSanitized)
    }

    /// A sanitizer has `mlock` do nothing, and say that it did.
    private static let isSanitized = (["__tsan_init", "__asan_init"] as [String]).contains { dlsym(nil, $0) != nil }

    /// The kernel's flags of the mapping that has this address.
    private static func flags(of address: UInt) -> Set<String>? {
        guard let file = fopen("/proc/self/smaps", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        var isInside = false
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            let ends = words.first?.split(separator: "-").compactMap { UInt($0, radix: 16) } ?? []
            if ends.count == 2 { isInside = (ends[0]..<ends[1]).contains(address) }
            if isInside, words.first == "VmFlags:" { return Set(words.dropFirst().map(String.init)) }
        }
        return nil
    }
}
