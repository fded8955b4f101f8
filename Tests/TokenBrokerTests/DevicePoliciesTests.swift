import Synchronization
import TestSupport
import Testing

@testable import TokenBroker

@Suite("The device policy in force")
struct DevicePoliciesTests {
    private static let fileApp = DeviceApp(appID: "TEAMID.com.example.file")
    private static let storedApp = DeviceApp(appID: "TEAMID.com.example.stored", environments: [.development])

    private let store = InMemoryStore(clock: FixedClock())

    /// A configuration with routes of these modes; nil for one without the key.
    private static func definition(
        _ modes: [Name: DeviceMode?],
        apps: [DeviceApp] = [fileApp]
    ) -> BrokerDefinition {
        let routes = modes.map { name, mode in
            RouteDefinition(
                name: name,
                token: "web",
                shape: .oauth2,
                expiryUnit: .seconds,
                minimum: .zero,
                wait: .zero,
                devices: mode
            )
        }
        return BrokerDefinition(
            routes: Dictionary(uniqueKeysWithValues: routes.map { ($0.name, $0) }),
            devices: DeviceSettings(apps: apps)
        )
    }

    private func policies(
        _ modes: [Name: DeviceMode?] = ["keyed": .monitor, "bare": nil],
        apps: [DeviceApp] = [fileApp],
        isLost: Bool = false
    ) -> DevicePolicies {
        DevicePolicies(Self.definition(modes, apps: apps), store: store, mayBeLost: { _ in isLost })
    }

    private func refusal(
        _ body: () async throws(DevicePolicyRefusal) -> DevicePolicyInForce
    ) async -> DevicePolicyRefusal? {
        do throws(DevicePolicyRefusal) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    // MARK: Precedence

    @Test("is the file's where nothing was set")
    func file() async {
        let policies = policies()
        await policies.read()
        #expect(policies.inForce.source == .file)
        #expect(policies.inForce.revision == 0)
        #expect(policies.inForce.modes == ["keyed": .monitor])
        #expect(policies.mode(of: "keyed") == .monitor)
        #expect(policies.mode(of: "bare") == .off)
        #expect(policies.apps == [Self.fileApp])
        #expect(policies.inForce.obstacle == nil)
    }

    @Test("is the stricter of the file's and what was set, in every combination")
    func stricter() async throws {
        for file in DeviceMode.allCases {
            for stored in DeviceMode.allCases {
                let policies = DevicePolicies(
                    Self.definition(["keyed": file]),
                    store: InMemoryStore(clock: FixedClock())
                )
                await policies.read()
                let now = try await policies.set(DevicePolicy(modes: ["keyed": stored]), at: 0)
                #expect(now.routes["keyed"]?.mode == max(file, stored))
                #expect(now.routes["keyed"]?.file == file)
                #expect(now.routes["keyed"]?.stored == stored)
                #expect(now.modes == ["keyed": stored])
                #expect(policies.mode(of: "keyed") == max(file, stored))
            }
        }
    }

    @Test("of a route that nobody knows here is to enforce")
    func unknownRoute() async {
        let policies = policies()
        await policies.read()
        #expect(policies.mode(of: "other") == .enforce)
        policies.definitionChanged(Self.definition(["other": .off]))
        #expect(policies.mode(of: "other") == .off)
    }

    @Test("keeps what was set across a reload, also for a route that was gone for a while")
    func reload() async throws {
        let policies = policies()
        await policies.read()
        _ = try await policies.set(DevicePolicy(modes: ["keyed": .enforce], apps: [Self.storedApp]), at: 0)
        policies.definitionChanged(Self.definition(["other": .off]))
        // What is told of can be set: a route that there is not could not be.
        #expect(policies.inForce.modes == ["other": .off])
        let told = DevicePolicy(modes: policies.inForce.modes, apps: policies.inForce.apps)
        _ = try await policies.set(told, at: policies.inForce.revision)
        policies.definitionChanged(Self.definition(["keyed": .off]))
        #expect(policies.mode(of: "keyed") == .enforce)
        #expect(policies.apps == [Self.storedApp])
    }

    // MARK: Changes

    @Test("changes what is said and keeps the rest")
    func partial() async throws {
        let policies = policies()
        await policies.read()
        let first = try await policies.set(DevicePolicy(modes: ["keyed": .enforce]), at: 0)
        #expect(first.source == .stored)
        #expect(first.apps == [Self.fileApp])
        let second = try await policies.set(DevicePolicy(apps: [Self.storedApp]), at: first.revision)
        #expect(second.revision > first.revision)
        #expect(second.modes == ["keyed": .enforce])
        #expect(second.apps == [Self.storedApp])
        let third = try await policies.set(DevicePolicy(modes: ["bare": .monitor]), at: second.revision)
        #expect(third.modes == ["keyed": .enforce, "bare": .monitor])
        #expect(third.apps == [Self.storedApp])
        #expect(policies.inForce == third)
    }

    @Test("is found again by the next start, as the disk has it")
    func restart() async throws {
        let first = policies()
        await first.read()
        let set = try await first.set(DevicePolicy(modes: ["keyed": .enforce], apps: [Self.storedApp]), at: 0)
        let second = policies()
        await second.read()
        #expect(second.inForce == set)
    }

    @Test("goes back to the file's, with a revision that goes on")
    func reset() async throws {
        let policies = policies()
        await policies.read()
        let set = try await policies.set(DevicePolicy(modes: ["keyed": .enforce], apps: [Self.storedApp]), at: 0)
        let back = try await policies.reset(at: set.revision)
        #expect(back.source == .file)
        #expect(back.revision > set.revision)
        #expect(back.routes["keyed"] == DevicePolicyInForce.Route(mode: .monitor, file: .monitor, stored: nil))
        #expect(back.apps == [Self.fileApp])
    }

    @Test("is not changed by who read another revision")
    func conflict() async throws {
        let policies = policies()
        await policies.read()
        let set = try await policies.set(DevicePolicy(modes: ["keyed": .enforce]), at: 0)
        let calls = store.calls
        let answer = await refusal { () throws(DevicePolicyRefusal) in try await policies.reset(at: 0) }
        #expect(answer == .changedMeanwhile)
        #expect(store.calls == calls)
        #expect(policies.inForce == set)
    }

    @Test("that another broker has changed in the store is read again, and the change is not made")
    func sharedStore() async throws {
        let (one, other) = (policies(), policies())
        await one.read()
        await other.read()
        let set = try await other.set(DevicePolicy(modes: ["keyed": .enforce]), at: 0)
        let change = DevicePolicy(modes: ["keyed": .off])
        #expect(
            await refusal { () throws(DevicePolicyRefusal) in try await one.set(change, at: 0) } == .changedMeanwhile
        )
        #expect(one.inForce == set)
    }

    @Test("has no modes for routes that there are not")
    func stranger() async {
        let policies = policies()
        await policies.read()
        let change = DevicePolicy(modes: ["keyed": .enforce, "nobody": .enforce])
        #expect(
            await refusal { () throws(DevicePolicyRefusal) in try await policies.set(change, at: 0) }
                == .unknownRoute("nobody")
        )
        #expect(policies.inForce.source == .file)
    }

    @Test("never enforces with nothing to accept, whatever the change was")
    func nothingToAccept() async throws {
        let policies = policies(["keyed": .monitor, "bare": nil], apps: [])
        await policies.read()
        let strict = DevicePolicy(modes: ["keyed": .enforce, "bare": .enforce])
        #expect(
            await refusal { () throws(DevicePolicyRefusal) in try await policies.set(strict, at: 0) }
                == .nothingToAccept(["bare", "keyed"])
        )
        #expect(policies.mode(of: "keyed") == .monitor)
        let both = DevicePolicy(modes: ["keyed": .enforce], apps: [Self.storedApp])
        let set = try await policies.set(both, at: 0)
        #expect(
            await refusal { () throws(DevicePolicyRefusal) in
                try await policies.set(DevicePolicy(apps: []), at: set.revision)
            } == .nothingToAccept(["keyed"])
        )
        #expect(policies.inForce == set)
    }

    @Test("that is left with nothing to accept by a reload says so, until there is an app again")
    func leftWithNothing() async throws {
        let policies = policies()
        await policies.read()
        let set = try await policies.set(DevicePolicy(modes: ["bare": .enforce]), at: 0)
        #expect(set.obstacle == nil)
        policies.definitionChanged(Self.definition(["keyed": .monitor, "bare": nil], apps: []))
        #expect(policies.inForce.obstacle?.contains("('bare')") == true)
        // It is no reason to refuse what is about another route, which must not be closed in its turn.
        let other = try await policies.set(DevicePolicy(modes: ["keyed": .off]), at: set.revision)
        #expect(
            await refusal { () throws(DevicePolicyRefusal) in
                try await policies.set(DevicePolicy(modes: ["keyed": .enforce]), at: other.revision)
            } == .nothingToAccept(["keyed"])
        )
        // A start finds what a reload does.
        let next = self.policies(apps: [])
        await next.read()
        #expect(next.inForce.obstacle == policies.inForce.obstacle)
        let mended = try await policies.set(DevicePolicy(apps: [Self.storedApp]), at: other.revision)
        #expect(mended.obstacle == nil)
    }

    @Test("cannot be set without a store")
    func noStore() async {
        let policies = DevicePolicies(Self.definition(["keyed": .monitor]), store: nil)
        #expect(policies.inForce.source == .file)
        #expect(await refusal { () throws(DevicePolicyRefusal) in try await policies.reset(at: 0) } == .noStore)
    }

    @Test("stays as it is where the store does not keep the change")
    func storeFails() async {
        let policies = policies()
        await policies.read()
        store.fail([.writeRecord], with: .full)
        let change = DevicePolicy(modes: ["keyed": .enforce])
        #expect(
            await refusal { () throws(DevicePolicyRefusal) in try await policies.set(change, at: 0) }
                == .storeFails(StoreError(.full, ""))
        )
        #expect(policies.mode(of: "keyed") == .monitor)
    }

    // MARK: What cannot be read

    @Test("enforces on every route with a gate until it was read, and says why")
    func unread() async {
        let policies = policies(["keyed": .off, "bare": nil])
        #expect(policies.inForce.source == .unreadable)
        #expect(policies.mode(of: "keyed") == .enforce)
        #expect(policies.mode(of: "bare") == .off)
        store.fail(with: .wrongKey)
        await policies.read()
        #expect(policies.mode(of: "keyed") == .enforce)
        #expect(policies.apps == [Self.fileApp])
        #expect(policies.inForce.obstacle?.contains("made to fail") == true)
        store.mend()
        await policies.read()
        #expect(policies.mode(of: "keyed") == .off)
        #expect(policies.apps == [Self.fileApp])
        #expect(policies.inForce.obstacle == nil)
    }

    @Test("that is not known keeps nobody from being ready where no route has a gate")
    func nothingAtStake() {
        let policies = policies(["bare": nil])
        #expect(policies.inForce.source == .unreadable)
        #expect(policies.inForce.obstacle == nil)
    }

    @Test("that was read holds on while the store fails")
    func failsLater() async throws {
        let policies = policies()
        await policies.read()
        let set = try await policies.set(DevicePolicy(modes: ["keyed": .enforce]), at: 0)
        store.fail(with: .unavailable)
        await policies.read()
        #expect(policies.inForce == set)
    }

    @Test("that is in the store in a form of another version is not known")
    func unknownForm() async throws {
        _ = try await store.write(Secret("policy 2".utf8), to: DevicePolicyRecord.id, expecting: nil, .durable)
        let policies = policies()
        await policies.read()
        #expect(policies.inForce.source == .unreadable)
        let set = try await policies.set(DevicePolicy(modes: ["bare": .monitor]), at: 0)
        #expect(set.source == .stored)
    }

    @Test("that was lost with its store is not known, nor after further starts, until somebody sets or resets it")
    func lost() async throws {
        let first = policies(isLost: true)
        await first.read()
        #expect(first.inForce.source == .unreadable)
        #expect(first.mode(of: "keyed") == .enforce)
        // What told of the loss is gone.
        let second = policies()
        await second.read()
        #expect(second.inForce.source == .unreadable)
        #expect(second.inForce.revision == 0)
        let back = try await second.reset(at: 0)
        #expect(back.source == .file)
        let third = policies(isLost: true)
        await third.read()
        #expect(third.inForce == back)
    }

    @Test("that vanished from a store begun anew under a running broker is lost")
    func lostWhileRunning() async throws {
        let policies = policies()
        await policies.read()
        let set = try await policies.set(DevicePolicy(modes: ["keyed": .enforce]), at: 0)
        try await store.remove(DevicePolicyRecord.id, expecting: RecordVersion(set.revision), .durable)
        // Before anybody has told the broker.
        #expect(
            await refusal { () throws(DevicePolicyRefusal) in
                try await policies.set(DevicePolicy(modes: ["keyed": .off]), at: set.revision)
            } == .changedMeanwhile
        )
        #expect(policies.inForce.source == .unreadable)
        #expect(policies.mode(of: "keyed") == .enforce)
        let put = try await policies.set(DevicePolicy(modes: ["keyed": .off]), at: 0)
        #expect(put.routes["keyed"]?.mode == .monitor)
    }
}

private struct FixedClock: HostClock {
    func now() -> Moment { Harness.start }
}
