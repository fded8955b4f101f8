/// The members of a JSON object, in order, each name once.
///
/// A lookup walks the members: objects here have a handful of them, and a document is bounded by who reads it.
/// Names are compared as Swift strings, by canonical equivalence, when they are looked up and when duplicates are
/// refused alike, so that no lookup can have two answers.
public struct JSONObject: Sendable {
    /// One name and its value.
    public struct Member: Sendable, Equatable {
        public let name: String
        public var value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members in the order they were read or added.
    public private(set) var members: [Member]

    /// An object without members.
    public init() {
        members = []
    }

    /// The caller has seen to it that no name occurs twice; the reader has, by refusing the document.
    init(checkedMembers members: [Member]) {
        self.members = members
    }

    init(uniqueMembers members: [Member]) {
        precondition(Set(members.map(\.name)).count == members.count, "a JSON object's literal repeats a name")
        self.members = members
    }

    /// The value of that name. Setting an existing name keeps its place, a new one goes to the end, nil removes.
    public subscript(name: String) -> JSONValue? {
        get {
            members.first { $0.name == name }?.value
        }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

/// Equal means the same members in the same order.
extension JSONObject: Equatable {}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members in the order written; a name written twice is a programmer's error and traps.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(uniqueMembers: elements.map { Member(name: $0, value: $1) })
    }
}
