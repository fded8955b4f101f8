internal import HTTPWire
internal import JSON

extension Command {
    static let deviceList = Command(
        words: ["device", "list"],
        options: [.json],
        socket: .admin,
        summary: "list the registered devices",
        details: ["Their names, their apps and when they were last seen. For root and operators."],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let devices = try DeviceList.all(from: Broker(invocation, surroundings))
            guard !invocation.has(.json) else { return .report(JSONValue.object(["devices": .array(devices)]).report) }
            return .report(DeviceList.report(devices, surroundings))
        }
    )

    static let deviceRevoke = Command(
        words: ["device", "revoke"],
        operands: [Operand("ID")],
        socket: .admin,
        summary: "forget a registered device",
        details: [
            "Its proofs are refused from now on, as those of an unknown device; its app may register anew. "
                + "For root and operators."
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let id = try invocation.deviceID()
            let answer = try Broker(invocation, surroundings).ask("/v1/devices/\(id)", .delete)
            let note = "the store does not keep this yet: the device is back if the broker ends before the store works"
            return .report(.text(["\(id): revoked"], notes: answer["stored"]?.bool == false ? [note] : []))
        }
    )
}

extension Invocation {
    /// The device that the first operand names.
    ///
    /// - Throws: a usage failure where no device can be called that; what is returned needs no escape in a target.
    fileprivate func deviceID() throws(CommandFailure) -> String {
        guard DeviceList.isID(operands[0]) else {
            throw .usage("this cannot be a device's name: dev_, then small letters and digits")
        }
        return operands[0]
    }
}

/// The devices as a table.
enum DeviceList {
    /// Asks page by page.
    static func all(from broker: Broker) throws(CommandFailure) -> [JSONValue] {
        var devices: [JSONValue] = []
        var next: String?
        repeat {
            let answer = try broker.ask("/v1/devices" + (next.map { "?after=\($0)" } ?? ""))
            devices += answer["devices"]?.array ?? []
            next = answer["next"]?.string.flatMap { isID($0) ? $0 : nil }
        } while next != nil
        return devices
    }

    /// Whether a device can have this name, which needs no escape in a target then.
    static func isID(_ text: String) -> Bool {
        let letters = text.utf8.dropFirst("dev_".count)
        return text.hasPrefix("dev_") && (1...60).contains(letters.count)
            && letters.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            }
    }

    static func report(_ devices: [JSONValue], _ surroundings: Surroundings) -> Report {
        guard !devices.isEmpty else { return .text([], notes: ["no device has registered"]) }
        var table = TextTable(["DEVICE", "APP", "ENVIRONMENT", "REGISTERED", "LAST SEEN"])
        for device in devices {
            table.append([
                .init(device["device_id"]), .init(device["app_id"]), .init(device["environment"]),
                .init(time(device["registered_at"], surroundings)), .init(time(device["last_seen_at"], surroundings)),
            ])
        }
        return .text(table.lines(usesColour: surroundings.usesColour))
    }

    private static func time(_ value: JSONValue?, _ surroundings: Surroundings) -> String {
        value?.number?.int64.map { RelativeTime.text($0, now: surroundings.now) } ?? "-"
    }
}
