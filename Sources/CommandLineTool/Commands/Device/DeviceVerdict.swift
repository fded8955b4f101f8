internal import DeviceAttestation
internal import JSON

/// What a check of a device came to; thrown where it ends early.
struct DeviceVerdict: Error, Equatable {
    let isValid: Bool
    /// A stable code: a ``DeviceRefusal/Code``, or one of the two that are only here.
    let reason: String
    /// What goes with it in the answer.
    let facts: JSONObject

    init(valid facts: JSONObject) {
        isValid = true
        reason = "verified"
        self.facts = facts
    }

    init(invalid reason: String, _ detail: String) {
        isValid = false
        self.reason = reason
        facts = ["detail": .string(detail)]
    }

    init(_ refusal: DeviceRefusal) {
        self.init(invalid: refusal.code.rawValue, refusal.detail)
    }

    /// The question was put wrongly, and nothing was found out of the device.
    static func unreadable(_ detail: String) -> DeviceVerdict {
        DeviceVerdict(invalid: "invalid_input", detail)
    }

    var report: Report {
        var object: JSONObject = ["verdict": isValid ? "valid" : "invalid", "reason": .string(reason)]
        for fact in facts.members { object[fact.name] = fact.value }
        var report = JSONValue.object(object).report
        report.status = isValid ? .done : .refusedByBroker
        return report
    }
}

extension JSONObject {
    /// Adds what the device says of its app, where it says anything.
    mutating func add(_ extensions: DeviceExtensions) {
        self["bundle_version"] = extensions.bundleVersion.map(JSONValue.string)
        self["validation_category"] = extensions.validationCategory.map { .number(JSONNumber(Int64($0))) }
    }
}
