internal import HTTPWire
internal import JSON

/// One member of the behaviour document: its name, its values, what it does. The one list of them serves the control
/// API and the help text.
struct Knob: Sendable {
    let name: String
    /// The values it takes, for the help text.
    let values: String
    let help: String
    let json: @Sendable (Behaviour) -> JSONValue?
    /// Takes a value; nil makes the provider normal again.
    let set: @Sendable (inout Behaviour, JSONValue?) throws(ControlRefusal) -> Void
}

extension Knob {
    typealias Path<Value> = WritableKeyPath<Behaviour, Value?> & Sendable

    private init<Value>(
        _ name: String,
        _ path: any Path<Value>,
        _ values: String,
        _ help: String,
        read: @escaping @Sendable (JSONValue) -> Value?,
        write: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.init(name: name, values: values, help: help) { behaviour in
            behaviour[keyPath: path].map(write)
        } set: { (behaviour, json) throws(ControlRefusal) in
            let value = json.flatMap(read)
            if json != nil, value == nil { throw ControlRefusal("\(name) takes \(values)") }
            behaviour[keyPath: path] = value
        }
    }

    static func integer(_ name: String, _ path: any Path<Int64>, _ range: ClosedRange<Int64>, _ help: String) -> Knob {
        Knob(name, path, "\(range.lowerBound)..\(range.upperBound)", help) { json in
            json.number?.int64.flatMap { range.contains($0) ? $0 : nil }
        } write: {
            .number(JSONNumber($0))
        }
    }

    static func flag(_ name: String, _ path: any Path<Bool>, _ help: String) -> Knob {
        Knob(name, path, "true|false", help, read: \.bool, write: JSONValue.bool)
    }

    static func text(_ name: String, _ path: any Path<String>, _ help: String) -> Knob {
        Knob(name, path, "text", help, read: \.string, write: JSONValue.string)
    }

    /// Text that goes into a header field, so it must be able to.
    static func header(_ name: String, _ path: any Path<String>, _ help: String) -> Knob {
        Knob(name, path, "printable ASCII", help) { json in
            json.string.flatMap { (try? HeaderField("X", $0)) == nil ? nil : $0 }
        } write: {
            .string($0)
        }
    }

    static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        _ path: any Path<Word>,
        _ help: String
    ) -> Knob {
        Knob(name, path, Word.allCases.map(\.rawValue).joined(separator: "|"), help) { json in
            json.string.flatMap(Word.init(rawValue:))
        } write: {
            .string($0.rawValue)
        }
    }
}
