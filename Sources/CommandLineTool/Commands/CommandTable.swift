/// Every command there is, in the order of the help.
enum CommandTable {
    static let commands: [Command] = [
        .get, .exec, .watch, .list, .whoami,
        .status, .top, .doctor, .tokenRefresh, .tokenDrop, .reload, .checkConfig,
        .secretList, .secretStage, .secretVerify, .secretPromote, .secretRollback, .secretRetire, .secretRotate,
        .auditVerify, .audit,
        .deviceList, .deviceRevoke, .policyGet, .policySet, .verifyAttestation, .verifyAssertion,
        .help,
    ]

    static let parser = ArgumentParser(commands: commands)
}
