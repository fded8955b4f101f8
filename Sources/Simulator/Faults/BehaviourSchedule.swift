internal import JSON

/// A provider's behaviour: the one that stands, and the one for the next few requests.
struct BehaviourSchedule {
    private struct Temporary {
        var behaviour: Behaviour
        var remaining: Int64
    }

    static let mostTimes: Int64 = 1_000_000

    private var standing = Behaviour()
    private var temporary: Temporary?

    /// Takes the members of a behaviour document; the others keep their values, null makes one normal again.
    ///
    /// With `times`, the result is for the next so many requests that it concerns; then what stood before comes back.
    /// Without it, what stands is changed, and what is temporary along with it. Nothing is changed where it throws.
    mutating func update(_ members: JSONObject) throws(ControlRefusal) {
        var updated = self
        if let times = members["times"] {
            guard let count = times == .null ? 0 : times.number?.int64, (0...Self.mostTimes).contains(count) else {
                throw ControlRefusal("times takes 0..\(Self.mostTimes)")
            }
            var behaviour = temporary?.behaviour ?? standing
            try behaviour.update(members)
            updated.temporary = count == 0 ? nil : Temporary(behaviour: behaviour, remaining: count)
        } else {
            try updated.standing.update(members)
            try updated.temporary?.behaviour.update(members)
        }
        self = updated
    }

    mutating func reset() {
        self = BehaviourSchedule()
    }

    /// The behaviour towards a request that has come in.
    mutating func next(path: String) -> Behaviour {
        if let temporary, temporary.behaviour.concerns(path) {
            self.temporary?.remaining -= 1
            if temporary.remaining <= 1 { self.temporary = nil }
            return temporary.behaviour
        }
        return standing.concerns(path) ? standing : Behaviour()
    }

    /// The behaviour towards the next request, and for how many of them.
    var json: JSONObject {
        var json = (temporary?.behaviour ?? standing).json
        json["times"] = temporary.map { .number(JSONNumber($0.remaining)) }
        return json
    }
}

extension Behaviour {
    fileprivate mutating func update(_ members: JSONObject) throws(ControlRefusal) {
        for member in members.members where member.name != "times" {
            guard let knob = Knob.all.first(where: { $0.name == member.name }) else {
                throw ControlRefusal("there is no \(member.name) in a behaviour")
            }
            try knob.set(&self, member.value == .null ? .none : member.value)
        }
    }

    fileprivate var json: JSONObject {
        var json = JSONObject()
        for knob in Knob.all { json[knob.name] = knob.json(self) }
        return json
    }
}
