import Synchronization
import TestSupport
import Testing

@testable import TokenBroker

@Suite("The device gate")
struct DeviceGateTests {
    private let harness = GateHarness()

    @Test("knows a device by its proof, and by nothing else")
    func known() async throws {
        let device = try await harness.register().get()
        #expect(device.text.hasPrefix("dev_"))
        #expect(try await harness.check(harness.proof(device, 1)).get() == device)
        #expect(await harness.check(harness.proof(DeviceID("dev_other"), 2)).reason == "unknown_device")
        #expect(await harness.check(harness.proof(device, 2, over: [1])).reason == "bad_signature")
    }

    @Test("gives a device a name that tells nothing of its key")
    func opaque() async throws {
        let (here, elsewhere) = (try await harness.register().get(), try await GateHarness().register().get())
        #expect(here != elsewhere)
        #expect(here.text.wholeMatch(of: /dev_[0-9a-f]{32}/) != nil)
    }

    @Test("takes each counter once, and none below")
    func counter() async throws {
        let device = try await harness.register().get()
        for (counter, reason) in [(5, nil), (5, "counter_not_greater"), (4, "counter_not_greater"), (6, nil)] {
            #expect(await harness.check(harness.proof(device, UInt32(counter))).reason == reason)
        }
    }

    @Test("lets one of two proofs through that race with one counter")
    func race() async throws {
        let device = try await harness.register().get()
        let rival = Mutex<DeviceGate.Answer?>(nil)
        let (first, second) = (harness.proof(device, 7), harness.proof(device, 7))
        harness.verification.afterNext { [harness] in
            // The first one has been found right; now the second one overtakes it.
            _ = harness.gate.check(second, on: "app", in: .enforce, by: nil) { answer in
                rival.withLock { $0 = answer }
            }
        }
        #expect(await harness.check(first).reason == "counter_not_greater")
        await harness.gate.finishSaving()
        #expect(try rival.withLock { $0 }?.get() == device)
    }

    @Test("lets one of many threads through that race with one counter")
    func threads() async throws {
        let harness = harness
        let device = try await harness.register().get()
        let proofs = (0..<32).map { _ in harness.proof(device, 7) }
        let passed = await withTaskGroup(of: Bool.self) { group in
            for proof in proofs { group.addTask { await harness.check(proof).reason == nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(passed == 1)
    }

    @Test("forgets a revoked device at once, with a proof that is being checked")
    func revoked() async throws {
        let device = try await harness.register().get()
        harness.verification.afterNext { [harness] in harness.gate.revoke(device, by: nil) { _ in } }
        #expect(await harness.check(harness.proof(device, 1)).reason == "unknown_device")
        #expect(await harness.check(harness.proof(device, 2)).reason == "unknown_device")
        await harness.gate.restore()
        #expect(await harness.revoke(device) == .unknown)
    }

    @Test("takes no proof of a device whose app is not accepted any more")
    func unacceptedApp() async throws {
        let device = try await harness.register().get()
        harness.policy.accept([DeviceApp(appID: "TEAM.other")])
        #expect(await harness.check(harness.proof(device, 1)).reason == "app_id_mismatch")
        harness.policy.accept([DeviceApp(appID: "TEAM.app", environments: [.development])])
        #expect(await harness.check(harness.proof(device, 1)).reason == "environment_mismatch")
        harness.policy.accept([DeviceApp(appID: "TEAM.app")])
        #expect(await harness.check(harness.proof(device, 1)).reason == nil)
    }

    @Test("names a key once, however often it is registered")
    func sameKey() async throws {
        let device = try await harness.register(key: 1).get()
        #expect(try await harness.check(harness.proof(device, 3)).get() == device)
        #expect(try await harness.register(key: 1).get() == device)
        // The counter stays what it was.
        #expect(await harness.check(harness.proof(device, 3)).reason == "counter_not_greater")
        #expect(try await harness.register(key: 2).get() != device)
    }

    @Test("lets go of the device that was not seen for longest where there are too many")
    func capacity() async throws {
        let harness = GateHarness(capacity: 2)
        let first = try await harness.register(key: 1).get()
        let second = try await harness.register(key: 2).get()
        #expect(await harness.check(harness.proof(first, 1)).reason == nil)
        let third = try await harness.register(key: 3).get()
        #expect(await harness.check(harness.proof(second, 1)).reason == "unknown_device")
        for device in [first, third] { #expect(await harness.check(harness.proof(device, 2)).reason == nil) }
        await harness.gate.finishSaving()
        #expect(try await harness.store.records(of: .deviceCounter).count == 2)
    }

    @Test("lists devices page by page, in the order of their names")
    func list() async throws {
        var devices: [DeviceID] = []
        for key in 0..<5 { devices.append(try await harness.register(key: UInt8(key)).get()) }
        let page = await harness.list()
        #expect(page.devices.map(\.id) == devices.sorted())
        #expect(!page.hasMore)
        #expect(await harness.list(after: page.devices[2].id).devices.map(\.id) == Array(devices.sorted()[3...]))
    }

    @Test("does nothing more while too many wait to be verified")
    func busy() {
        let work = Mutex<[@Sendable () -> Void]>([])
        var ports = harness.gate.ports
        ports.perform = { piece in work.withLock { $0.append(piece) } }
        let gate = DeviceGate(ports, verification: harness.verification)
        let proof = harness.proof(DeviceID("dev_x"), 1)
        let check = { gate.check(proof, on: "app", in: .enforce, by: nil) { _ in } }
        for _ in 0..<DeviceGate.mostPending { #expect(check()) }
        #expect(!check())
        work.withLock { $0.removeFirst() }()
        #expect(check())
    }

    @Test("calls nothing a denial that was served, and a registration one that was refused all the same")
    func monitored() async throws {
        let device = try await harness.register().get()
        #expect(await harness.check(harness.proof(device, 1, over: [0]), in: .monitor).reason == "bad_signature")
        harness.gate.refuse(.proofMissing, on: "app", in: .monitor, by: nil)
        harness.gate.refuse(.proofMissing, on: "app", in: .enforce, by: nil)
        #expect(await harness.register(attestation: []).reason != nil)
        let events = harness.audit.events.dropFirst()
        #expect(events.map(\.kind) == [.monitored, .monitored, .denial, .denial])
        #expect(events.map(\.action) == ["device proof", "device proof", "device proof", "device register"])
        #expect(AuditEvent.Kind.monitored.auditClass == .routine)
    }

    @Test("writes down who came, who went and who was refused, and a flood of these in part")
    func audit() async throws {
        let device = try await harness.register().get()
        _ = await harness.check(harness.proof(device, 1, over: [0]))
        _ = await harness.revoke(device)
        let events = harness.audit.events
        #expect(events.map(\.kind) == [.device, .denial, .operation])
        #expect(events.map(\.action) == ["device register", "device proof", "device revoke"])
        #expect(events.map(\.subject) == [device.text, "app", device.text])
        #expect(events.map(\.outcome) == ["ok", "bad_signature", "ok"])
        for _ in 0..<1000 { harness.gate.refuse(.proofMissing, on: "app", in: .enforce, by: nil) }
        #expect(harness.audit.events.count < 110)
        harness.clock.advance(by: .seconds(60))
        harness.gate.refuse(.proofMissing, on: "app", in: .enforce, by: nil)
        #expect(harness.audit.events.last?.detail?.contains("before it were not written down") == true)
    }
}
