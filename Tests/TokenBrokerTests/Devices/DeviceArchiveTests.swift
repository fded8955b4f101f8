import Synchronization
import TestSupport
import Testing

@testable import TokenBroker

@Suite("Devices in the store")
struct DeviceArchiveTests {
    private let harness = GateHarness()

    /// The gate after a restart.
    private func restarted() async -> GateHarness {
        await harness.gate.finishSaving()
        let next = GateHarness(store: harness.store)
        await next.gate.restore()
        return next
    }

    private func records() async throws -> [Device] {
        try await harness.store.records(of: .deviceCounter).compactMap(Device.init)
    }

    @Test("come back with their counters after a restart")
    func restart() async throws {
        let device = try await harness.register().get()
        #expect(await harness.check(harness.proof(device, 41)).reason == nil)
        let next = await restarted()
        #expect(await next.list().devices == harness.list().devices)
        #expect(await next.check(next.proof(device, 41)).reason == "counter_not_greater")
        #expect(await next.check(next.proof(device, 42)).reason == nil)
        // The record is written on, at its version.
        await next.gate.finishSaving()
        #expect(try await records().map(\.counter) == [42])
    }

    @Test("come back in the order in which they were last seen")
    func order() async throws {
        var devices: [DeviceID] = []
        for key in 1...3 {
            devices.append(try await harness.register(key: UInt8(key)).get())
            harness.clock.advance(by: .seconds(1))
        }
        #expect(await harness.check(harness.proof(devices[0], 1)).reason == nil)
        await harness.gate.finishSaving()
        let next = GateHarness(store: harness.store, capacity: 2)
        await next.gate.restore()
        #expect(Set(await next.list().devices.map(\.id)) == [devices[0], devices[2]])
    }

    @Test("stay away after a restart when they were revoked")
    func revoked() async throws {
        let device = try await harness.register().get()
        #expect(await harness.revoke(device) == .revoked(isKept: true))
        #expect(try await records().isEmpty)
        let next = await restarted()
        #expect(await next.check(next.proof(device, 1)).reason == "unknown_device")
    }

    @Test("are there before their registration is answered")
    func before() async throws {
        _ = try await harness.register().get()
        #expect(try await records().count == 1)
    }

    @Test("work from memory while the store fails, and are written when it works again")
    func failing() async throws {
        let old = try await harness.register(key: 1).get()
        harness.store.fail(with: .full)
        let new = try await harness.register(key: 2).get()
        #expect(await harness.check(harness.proof(new, 1)).reason == nil)
        #expect(await harness.check(harness.proof(new, 1)).reason == "counter_not_greater")
        #expect(await harness.revoke(old) == .revoked(isKept: false))
        harness.store.mend()
        harness.gate.archive.storeRecovered()
        await harness.gate.finishSaving()
        #expect(try await records().map(\.id) == [new])
        #expect(try await records().map(\.counter) == [1])
    }

    @Test("do not keep a request waiting on a store that begins to fail under it")
    func failsUnderway() async throws {
        let device = try await harness.register().get()
        harness.store.fail([.writeRecord], with: .full, isNoticed: false)
        #expect(await harness.check(harness.proof(device, 1)).reason == nil)
    }

    @Test("that could not be read at the start come when the store works, beside those that have come since")
    func late() async throws {
        let old = try await harness.register(key: 1).get()
        await harness.gate.finishSaving()
        harness.store.fail()
        let next = GateHarness(store: harness.store)
        await next.gate.restore()
        #expect(await next.check(next.proof(old, 1)).reason == "unknown_device")
        let new = try await next.register(key: 2).get()
        harness.store.mend()
        await next.gate.restore()
        next.gate.archive.storeRecovered()
        await next.gate.finishSaving()
        for device in [old, new] { #expect(await next.check(next.proof(device, 1)).reason == nil) }
        #expect(try await records().count == 2)
    }

    @Test("that are revoked while the store cannot tell them do not come when it works")
    func revokedUnseen() async throws {
        let stolen = try await harness.register(key: 1).get()
        let other = try await harness.register(key: 2).get()
        await harness.gate.finishSaving()
        harness.store.fail()
        let next = GateHarness(store: harness.store)
        await next.gate.restore()
        #expect(await next.revoke(stolen) == .revoked(isKept: false))
        #expect(next.audit.events.map(\.action) == ["device revoke"])
        harness.store.mend()
        await next.gate.restore()
        next.gate.archive.storeRecovered()
        await next.gate.finishSaving()
        #expect(await next.list().devices.map(\.id) == [other])
        #expect(try await records().map(\.id) == [other])
        #expect(await next.revoke(stolen) == .unknown)
    }

    @Test("keep a counter that was taken while the store was read")
    func readMeanwhile() async throws {
        let harness = harness
        let device = try await harness.register().get()
        harness.store.door.close()
        async let restored: Void = harness.gate.restore()
        while harness.store.calls.last != .readRecord { await Task.yield() }
        async let answer = harness.check(harness.proof(device, 5))
        while harness.store.groups.withLock({ $0.count }) < 2 { await Task.yield() }
        harness.store.door.open()
        await restored
        #expect(await answer.reason == nil)
        #expect(await harness.check(harness.proof(device, 5)).reason == "counter_not_greater")
    }

    @Test("are written anew into a store that was begun anew")
    func lost() async throws {
        let device = try await harness.register().get()
        let version = try #require(await harness.store.record(Device.recordID(device))?.version)
        try await harness.store.remove(Device.recordID(device), expecting: version, .ordinary)
        #expect(await harness.check(harness.proof(device, 1)).reason == nil)
        #expect(try await records().map(\.counter) == [1])
    }

    @Test("are refused a counter that another broker on the store has taken", arguments: [(7, false), (6, true)])
    func otherBroker(_ theirs: UInt32, _ passes: Bool) async throws {
        let device = try await harness.register().get()
        let other = await restarted()
        #expect(await other.check(other.proof(device, theirs)).reason == nil)
        let answer = await harness.check(harness.proof(device, 7))
        #expect(answer.reason == (passes ? nil : "counter_not_greater"))
        #expect(try await records().map(\.counter) == [7])
    }

    @Test("go into the store together while it is at work")
    func groups() async throws {
        let harness = harness
        var devices: [DeviceID] = []
        for key in 0..<20 { devices.append(try await harness.register(key: UInt8(key)).get()) }
        await harness.gate.finishSaving()
        harness.store.groups.withLock { $0 = [] }
        harness.store.door.close()
        let passed = Mutex(0)
        for device in devices {
            let isBegun = harness.gate.check(harness.proof(device, 1), on: "app", in: .enforce, by: nil) { _ in
                passed.withLock { $0 += 1 }
            }
            #expect(isBegun)
        }
        #expect(passed.withLock { $0 } == 0)
        harness.store.door.open()
        await harness.gate.finishSaving()
        #expect(passed.withLock { $0 } == 20)
        // The first few go as soon as the store is asked, and all others together after them.
        let groups = harness.store.groups.withLock { $0 }
        #expect(groups.reduce(0, +) == 20)
        #expect(groups.count <= 2)
    }

    @Test("are read again as they were written, and nothing else is")
    func record() throws {
        var device = Device(
            id: DeviceID("dev_1"),
            key: DeviceKey(
                appID: "TEAM.com.example.app",
                environment: .development,
                keyID: Array(0..<32),
                publicKey: Array(4..<69)
            ),
            registeredAt: WallInstant(milliseconds: 1_775_000_000_123)
        )
        device.counter = .max
        device.lastSeenAt = WallInstant(milliseconds: -5)
        let record = VersionedRecord(
            id: Device.recordID(device.id),
            version: RecordVersion(1),
            payload: device.payload
        )
        #expect(Device(record) == device)
        let bytes = device.payload.withBytes { Array($0) }
        for wrong in [[], [2] + bytes.dropFirst(), Array(bytes.prefix(119))] {
            let record = VersionedRecord(id: record.id, version: record.version, payload: Secret(wrong))
            #expect(Device(record) == nil)
        }
    }
}
