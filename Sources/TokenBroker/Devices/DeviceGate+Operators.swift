internal import Synchronization

// What operators see and do, and what outlives the process.

extension DeviceGate {
    /// How many devices one answer lists at most.
    public static let pageLength = 1000

    /// Some of the devices, in the order of their names.
    public struct Page: Sendable {
        public let devices: [Device]
        /// Whether there are more behind the last one.
        public let hasMore: Bool
    }

    /// How a revocation came out.
    public enum Revocation: Equatable, Sendable {
        /// No proof of the device is taken any more.
        ///
        /// - Parameter isKept: whether the store knows it: else it holds until the store works again, or the process ends.
        case revoked(isKept: Bool)
        case unknown
    }

    /// Lists devices on the verifying thread.
    ///
    /// - Parameter start: the last device of the page before.
    public func list(after start: DeviceID?, _ completion: @escaping @Sendable (Page) -> Void) {
        ports.perform { [self] in
            let all = state.withLock { $0.devices.all }
            let rest = all.filter { device in start.map { device.id > $0 } ?? true }.sorted { $0.id < $1.id }
            completion(Page(devices: Array(rest.prefix(Self.pageLength)), hasMore: rest.count > Self.pageLength))
        }
    }

    /// Forgets a device at once, proofs of it that are being checked included. One that is not known here is taken for known
    /// to a store that could not tell its devices yet.
    public func revoke(
        _ id: DeviceID,
        by actor: AuditEvent.Actor?,
        _ completion: @escaping @Sendable (Revocation) -> Void
    ) {
        let mayBeKnown = state.withLock { state in
            if !state.isRestored { state.revokedUnseen.insert(id) }
            return state.devices.remove(id) != nil || !state.isRestored
        }
        guard mayBeKnown else { return completion(.unknown) }
        ports.audit.record(AuditEvent(.operation, "device revoke", of: id.text, by: actor))
        archive.remove(id) { outcome in
            let isKept = if case .kept = outcome { true } else { false }
            completion(.revoked(isKept: isKept))
        }
    }

    // MARK: The store

    /// Takes in the devices of an earlier run; those that have come since stay.
    public func restore() async {
        guard let devices = try? await archive.restore() else { return }
        state.withLock { state in
            // The oldest first, so that the order in which they were last seen is what it was.
            for device in devices.sorted(by: { $0.lastSeenAt < $1.lastSeenAt })
            where state.devices[device.id] == nil && !state.revokedUnseen.contains(device.id) {
                _ = state.devices.add(device)
            }
            state.isRestored = true
            state.revokedUnseen = []
        }
    }

    /// The store works again: what it had not told is asked for, and what it has missed is written.
    public func storeRecovered() {
        Task { [self] in
            if !state.withLock(\.isRestored) { await restore() }
            archive.storeRecovered()
        }
    }

    /// Waits until the store has been given all that has changed.
    public func finishSaving() async {
        await archive.finish()
    }
}
