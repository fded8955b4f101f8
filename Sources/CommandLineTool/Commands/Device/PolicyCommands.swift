internal import HTTPWire
internal import JSON

extension Command {
    static let policyGet = Command(
        words: ["device", "policy", "get"],
        options: [.json],
        socket: .admin,
        summary: "show how strict each route's device gate is",
        details: [
            "The stricter of the configuration file's mode and the one that was set holds. The counts are of requests since "
                + "the broker started; all but the verified are those that 'enforce' turns away, or would. For root and "
                + "operators."
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let answer = try Broker(invocation, surroundings).ask(DevicePolicyFile.target)
            return .report(invocation.has(.json) ? answer.report : PolicyReport(answer).report)
        }
    )

    static let policySet = Command(
        words: ["device", "policy", "set"],
        operands: [Operand("FILE", .optional)],
        options: [.reset],
        socket: .admin,
        summary: "set routes' modes and apps, or go back to the file's",
        details: [
            "FILE is JSON, or '-' for standard input: {\"routes\": {\"ROUTE\": \"off|monitor|enforce\"}, \"apps\": [{\"app_id\": "
                + "\"TEAMID.com.example.app\", \"environments\": [\"production\"]}]}. What it leaves out stays as it is. What "
                + "'device policy get --json' printed can be changed and set; with the revision in it, it is taken only "
                + "where nobody has changed the policy since.",
            "Where somebody has, the difference to what is set now is printed and nothing changes. It holds from the next "
                + "request on. For root and operators.",
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let broker = Broker(invocation, surroundings)
            switch (invocation.operands.first, invocation.has(.reset)) {
            case (let path?, false): return .report(try DevicePolicyFile(path, surroundings).set(by: broker))
            case (nil, true): return .report(try DevicePolicyFile.reset(by: broker))
            default:
                throw .usage(
                    "'\(invocation.command.name)' needs either FILE or --reset",
                    hint: ArgumentParser.usageLine(invocation.command)
                )
            }
        }
    )
}
