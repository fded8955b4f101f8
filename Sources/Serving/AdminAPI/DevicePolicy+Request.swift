internal import HTTPWire
internal import JSON
internal import TokenBroker

extension DevicePolicy {
    /// What an answer has beside the policy itself. It may be sent back with it, and means nothing.
    private static let remarks: Set<String> = ["revision", "source", "problem", "effective", "observed"]

    /// The change that `PUT /v1/device-policy` asks for.
    init(requestBody body: [UInt8]) throws(InvalidRequest) {
        self.init()
        let object = try JSONObject(requestBody: body)
        for member in object.members where !Self.remarks.contains(member.name) {
            switch member.name {
            case "routes": modes = try Self.modes(member.value)
            case "apps": apps = try Self.apps(member.value)
            default: throw .unknownParameter("routes and apps")
            }
        }
        guard !isEmpty else { throw InvalidRequest("it says nothing: it needs routes, apps or both") }
    }

    private static func modes(_ value: JSONValue) throws(InvalidRequest) -> [Name: DeviceMode] {
        guard let members = value.object?.members else {
            throw InvalidRequest("routes is an object of routes and their modes")
        }
        var modes: [Name: DeviceMode] = [:]
        for member in members {
            guard let name = Name(member.name) else { throw InvalidRequest("there is no route '\(member.name)'") }
            guard let mode = member.value.string.flatMap(DeviceMode.init) else {
                throw InvalidRequest("the mode of route '\(name)' is off, monitor or enforce")
            }
            modes[name] = mode
        }
        return modes
    }

    private static func apps(_ value: JSONValue) throws(InvalidRequest) -> [DeviceApp] {
        guard let elements = value.array else { throw InvalidRequest("apps is an array of apps") }
        var apps: [DeviceApp] = []
        for element in elements {
            let app = try DeviceApp(requestElement: element)
            guard !apps.contains(where: { $0.appID == app.appID }) else {
                throw InvalidRequest("app '\(app.appID)' is there twice")
            }
            apps.append(app)
        }
        return apps
    }
}

extension DeviceApp {
    /// An element of `apps`. Without environments it is production, as in the configuration.
    fileprivate init(requestElement element: JSONValue) throws(InvalidRequest) {
        guard let object = element.object, let appID = object["app_id"]?.string else {
            throw InvalidRequest("an app is an object with an app_id, and perhaps environments")
        }
        guard Self.isAppID(appID) else { throw InvalidRequest("'\(appID)' is not an app id: \(Self.appIDForm)") }
        for member in object.members where member.name != "app_id" && member.name != "environments" {
            throw .unknownParameter("app_id and environments in an app")
        }
        let names = object["environments"]?.array?.map { $0.string.flatMap(AttestEnvironment.init) } ?? []
        let isLeftOut = object["environments"] == nil
        guard isLeftOut || !names.isEmpty, !names.contains(nil) else {
            throw InvalidRequest("the environments of '\(appID)' are production, development or both")
        }
        self.init(appID: appID, environments: isLeftOut ? [.production] : Set(names.compactMap(\.self)))
    }
}
